#include "hierarchy/pool_trie.hpp"

#include "base/parallel.hpp"
#include "base/parallel_sorting.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kPoolsPerRange = std::size_t{1} << 13;
constexpr std::size_t kPoolsWorthThreads = std::size_t{1} << 14;  // for fewer, starting threads costs more

}  // namespace

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

void PoolTrie::write_path(RaggedView pools, Node pool) {
  Node* const begin = paths_.data() + path_start_[idx(pool)];
  Node* end = begin;
  for (const Node v : pools[pool]) *end++ = rank_[idx(v)];
  std::sort(begin, end);
  const auto second = end - begin > 1 ? static_cast<std::uint64_t>(begin[1]) : 0;
  keys_[idx(pool)] = {static_cast<std::uint64_t>(*begin) << 32 | second, pool};
}

void PoolTrie::build(const LevelRows& rows, RaggedView pools, unsigned threads, Budget& budget) {
  const std::size_t num_pools = idx(pools.size());
  if (num_pools < kPoolsWorthThreads) threads = 1;
  Pace pace(budget);
  rank_by_degree(rows, pace);
  paths_.resize(pools.members.size());
  path_start_.resize(pools.offsets.size());
  std::copy(pools.offsets.begin(), pools.offsets.end(), path_start_.begin());
  keys_.resize(num_pools);
  share_ranges(threads, num_pools, kPoolsPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    Pace steps(budget);
    for (std::size_t p = first; p < last; ++p) {
      write_path(pools, static_cast<Node>(p));
      steps.step(path(static_cast<Node>(p)).size());
    }
  });
  const auto first_of = [](const Key& key) { return static_cast<std::uint32_t>(key.first_two >> 32); };
  sort_shared(keys_.span(), threads, budget, first_of, [&](const Key& a, const Key& b) {
    if (a.first_two != b.first_two) return a.first_two < b.first_two;
    const auto left = path(a.pool);
    const auto right = path(b.pool);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
  pool_.resize(num_pools);
  for (std::size_t slot = 0; slot < num_pools; ++slot) pool_[slot] = keys_[slot].pool;
  keys_.clear();
  if (num_pools >= kPoolsWorthThreads) keys_.shrink_to_fit();
}

}  // namespace cliquepool
