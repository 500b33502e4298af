#include "hierarchy/pool_trie.hpp"

#include "base/sorting.hpp"

namespace cliquepool {

// Counting sort; vertices of equal degree by id.
void PoolTrie::rank_by_degree(const LevelRows& rows, Pace& pace) {
  const Node n = rows.num_nodes();
  Node largest = 0;
  for (Node v = 0; v < n; ++v) largest = std::max(largest, rows.degree(v));
  count_.assign(idx(largest) + 2, 0);
  for (Node v = 0; v < n; ++v) ++count_[idx(largest - rows.degree(v)) + 1];
  for (std::size_t d = 1; d < count_.size(); ++d) count_[d] += count_[d - 1];
  rank_.resize(idx(n));
  vertex_.resize(idx(n));
  for (Node v = 0; v < n; ++v) {
    const Node rank = count_[idx(largest - rows.degree(v))]++;
    rank_[idx(v)] = rank;
    vertex_[idx(rank)] = v;
    pace.step();
  }
}

void PoolTrie::build(const LevelRows& rows, RaggedView pools, Pace& pace) {
  rank_by_degree(rows, pace);
  const Offset num_pools = pools.size();
  paths_.resize(pools.members.size());
  path_start_.resize(pools.offsets.size());
  std::copy(pools.offsets.begin(), pools.offsets.end(), path_start_.begin());
  pool_.resize(idx(num_pools));
  for (Offset p = 0; p < num_pools; ++p) {
    Node* const begin = paths_.data() + path_start_[idx(p)];
    Node* end = begin;
    for (const Node v : pools[p]) *end++ = rank_[idx(v)];
    std::sort(begin, end);
    pool_[idx(p)] = static_cast<Node>(p);
    pace.step(pools[p].size());
  }
  sort_in_pieces(pool_.begin(), pool_.end(), pace, [&](Node a, Node b) {
    const auto left = path(a);
    const auto right = path(b);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
}

}  // namespace cliquepool
