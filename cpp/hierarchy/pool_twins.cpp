#include "hierarchy/pool_twins.hpp"

#include <algorithm>
#include <numeric>

#include "base/sorting.hpp"

namespace cliquepool {

void PoolTwins::find(GraphView graph, RaggedView pools, const PoolTrie& trie, Budget& budget, TwinLevel& coarse) {
  hash_neighbourhoods(graph, trie, budget);
  Pace pace(budget);
  group_by_hash(graph, pools, pace);
  number_classes(trie, budget, coarse);
}

void PoolTwins::hash_neighbourhoods(GraphView graph, const PoolTrie& trie, Budget& budget) {
  struct Extent {
    std::size_t covered;
    std::uint64_t hash;
  };
  Pace pace(budget);
  hashes_.extend(graph.num_nodes(), pace);
  covered_.reset(idx(graph.num_nodes()));
  hash_.resize(trie.size());
  reach_.resize(trie.size());
  std::uint64_t hash = 0;
  ChargedBuffer<Extent> before(budget);  // of each shorter prefix of the current path
  const auto cover = [&](Node v) {
    if (covered_.insert(v)) hash += hashes_[v];
  };
  ChargedBuffer<Node> all_slots(budget, trie.size());
  std::iota(all_slots.begin(), all_slots.end(), 0);
  trie.walk(
      all_slots.span(),
      [&](Node v) {
        before.push_back({covered_.size(), hash});
        cover(v);
        for (const Node u : graph[v]) cover(u);
        pace.step(idx(graph.degree(v)));
      },
      [&] {
        covered_.truncate(before.back().covered);
        hash = before.back().hash;
        before.pop_back();
      },
      [&](Node slot) {
        const Node pool = trie.pool(slot);
        hash_[idx(pool)] = hash;
        reach_[idx(pool)] = static_cast<Offset>(covered_.size());
        pace.step();
      });
}

// Sets `first_twin_`.
void PoolTwins::group_by_hash(GraphView graph, RaggedView pools, Pace& pace) {
  by_hash_.resize(idx(pools.size()));
  first_twin_.resize(idx(pools.size()));
  marks_.assign(idx(graph.num_nodes()), 0);
  std::iota(by_hash_.begin(), by_hash_.end(), 0);
  const auto same = [&](Node a, Node b) { return hash_[idx(a)] == hash_[idx(b)] && reach_[idx(a)] == reach_[idx(b)]; };
  sort_in_pieces(by_hash_.begin(), by_hash_.end(), pace, [&](Node a, Node b) {
    if (hash_[idx(a)] != hash_[idx(b)]) return hash_[idx(a)] < hash_[idx(b)];
    if (reach_[idx(a)] != reach_[idx(b)]) return reach_[idx(a)] < reach_[idx(b)];
    return a < b;
  });
  for (std::size_t begin = 0; begin < by_hash_.size();) {
    std::size_t end = begin + 1;
    while (end < by_hash_.size() && same(by_hash_[begin], by_hash_[end])) ++end;
    const auto group = by_hash_.span().subspan(begin, end - begin);
    if (group.size() == 1 || are_twins(graph, pools, group, pace)) {
      for (const Node pool : group) first_twin_[idx(pool)] = group.front();
    } else {
      split_group(graph, pools, group, pace);
    }
    pace.step(group.size());
    begin = end;
  }
}

// Returns whether all pools of a group have the same closed neighbourhood. These are of equal size, so they are equal
// when each is within the first one: when N[v] is, for every member v.
bool PoolTwins::are_twins(GraphView graph, RaggedView pools, std::span<const Node> group, Pace& pace) {
  constexpr unsigned char kInFirst = 1;
  constexpr unsigned char kMemberSeen = 2;
  const auto mark_first = [&](auto&& mark) {
    for (const Node v : pools[group.front()]) {
      mark(v);
      for (const Node u : graph[v]) mark(u);
      pace.step(idx(graph.degree(v)));
    }
  };
  mark_first([&](Node v) { marks_[idx(v)] = kInFirst; });
  for (const Node v : pools[group.front()]) marks_[idx(v)] |= kMemberSeen;
  bool within = true;
  for (std::size_t i = 1; i < group.size() && within; ++i) {
    for (const Node v : pools[group[i]]) {
      if (!(marks_[idx(v)] & kInFirst)) {
        within = false;
        break;
      }
      if (marks_[idx(v)] & kMemberSeen) continue;
      marks_[idx(v)] |= kMemberSeen;
      pace.step(idx(graph.degree(v)));
      for (const Node u : graph[v]) within = within && (marks_[idx(u)] & kInFirst);
    }
  }
  mark_first([&](Node v) { marks_[idx(v)] = 0; });
  return within;
}

// Splits a group whose hashes collide, which hardly ever happens, by comparing the sets in pairs.
void PoolTwins::split_group(GraphView graph, RaggedView pools, std::span<Node> group, Pace& pace) {
  Buffer<Node> rest;
  while (!group.empty()) {
    const Node first = group.front();
    first_twin_[idx(first)] = first;
    rest.clear();
    for (const Node pool : group.subspan(1)) {
      const Node pair[] = {first, pool};
      if (are_twins(graph, pools, pair, pace)) {
        first_twin_[idx(pool)] = first;
      } else {
        rest.push_back(pool);
      }
    }
    std::copy(rest.begin(), rest.end(), group.begin());
    group = group.first(rest.size());
  }
}

void PoolTwins::number_classes(const PoolTrie& trie, Budget& budget, TwinLevel& coarse) {
  Pace pace(budget);
  const auto num_pools = static_cast<Node>(trie.size());
  representatives_.clear();
  for (Node slot = 0; slot < num_pools; ++slot) {
    if (first_twin_[idx(trie.pool(slot))] == trie.pool(slot)) representatives_.push_back(slot);
    pace.step();
  }
  resize_result(coarse.classes, idx(num_pools), budget);
  resize_result(coarse.sizes, representatives_.size(), budget);
  Node num_classes = 0;
  for (Node pool = 0; pool < num_pools; ++pool) {
    const Node first = first_twin_[idx(pool)];
    const Node c = first == pool ? num_classes++ : coarse.classes[idx(first)];
    coarse.classes[idx(pool)] = c;
    if (first == pool) coarse.sizes[idx(c)] = 0;
    ++coarse.sizes[idx(c)];
    pace.step();
  }
}

}  // namespace cliquepool
