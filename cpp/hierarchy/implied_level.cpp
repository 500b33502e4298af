#include "hierarchy/implied_level.hpp"

#include <algorithm>
#include <utility>

namespace cliquepool {

ImpliedLevel::ImpliedLevel(const LevelRows& below, const PoolTrie& trie, std::span<const Node> representatives,
                           std::span<const Node> class_of_pool, const ClassEdges& edges, Budget& budget)
    : member_start_(budget, representatives.size() + 1, 0),
      members_(budget, edges.touching().members.size()),
      touching_start_(budget),
      touching_(budget),
      degrees_(budget),
      closed_weights_(budget),
      rows_{below, {}, {}, {}} {
  Pace pace(budget);
  for (const Node slot : representatives)
    trie.for_each_member(slot, [&](Node) { ++member_start_[idx(class_of_pool[idx(trie.pool(slot))]) + 1]; });
  for (std::size_t c = 0; c < representatives.size(); ++c) member_start_[c + 1] += member_start_[c];
  for (const Node slot : representatives) {
    Node* const begin = members_.data() + member_start_[idx(class_of_pool[idx(trie.pool(slot))])];
    Node* end = begin;
    trie.for_each_member(slot, [&](Node v) { *end++ = v; });
    std::sort(begin, end);
    pace.step(static_cast<std::size_t>(end - begin));
  }
  touching_start_.append(edges.touching().offsets);
  touching_.append(edges.touching().members);
  degrees_.append(edges.degrees());
  closed_weights_.append(edges.closed_weights());
  rows_.members = {std::as_const(member_start_).span(), std::as_const(members_).span()};
  rows_.touching = {std::as_const(touching_start_).span(), std::as_const(touching_).span()};
  rows_.degrees = std::as_const(degrees_).span();
}

bool ImpliedLevel::has_edges() const {
  return std::any_of(degrees_.begin(), degrees_.end(), [](Node degree) { return degree > 0; });
}

}  // namespace cliquepool
