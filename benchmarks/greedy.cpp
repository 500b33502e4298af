// The greedy rounds over a list of all maximal cliques: a clique is in the bucket of its number of unassigned
// nodes, and the assignment of a node moves its cliques one bucket down. Linear in the total size of the cliques.

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace {

uint64_t hash(const int32_t* first, const int32_t* last) {
  uint64_t h = 0;
  for (; first != last; ++first) h = (h ^ static_cast<uint64_t>(*first)) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return h;
}

}  // namespace

// Writes the pools, in the order of the rounds, to `pool_offsets` and `pool_members` (as large as the arrays of
// the cliques) and returns the number of pools.
extern "C" int64_t greedy_pools(int32_t num_nodes, int64_t num_cliques, const int64_t* offsets, const int32_t* members,
                                int64_t* pool_offsets, int32_t* pool_members) {
  std::vector<int64_t> first(num_nodes + 1, 0);
  for (int64_t i = 0; i < offsets[num_cliques]; ++i) ++first[members[i] + 1];
  for (int32_t v = 0; v < num_nodes; ++v) first[v + 1] += first[v];
  std::vector<int32_t> cliques_of(offsets[num_cliques]);
  {
    std::vector<int64_t> next(first.begin(), first.end() - 1);
    for (int64_t c = 0; c < num_cliques; ++c)
      for (int64_t i = offsets[c]; i < offsets[c + 1]; ++i) cliques_of[next[members[i]]++] = static_cast<int32_t>(c);
  }

  std::vector<int32_t> left(num_cliques);
  int32_t most = 0;
  for (int64_t c = 0; c < num_cliques; ++c) {
    left[c] = static_cast<int32_t>(offsets[c + 1] - offsets[c]);
    most = std::max(most, left[c]);
  }
  std::vector<std::vector<int32_t>> bucket(most + 1);
  for (int64_t c = 0; c < num_cliques; ++c) bucket[left[c]].push_back(static_cast<int32_t>(c));

  std::vector<char> assigned(num_nodes, 0);
  std::vector<int32_t> lower;  // cliques that moved down in this round, each once
  std::vector<char> moved(num_cliques, 0);
  int64_t pools = 0;
  pool_offsets[0] = 0;
  for (int32_t size = most; size > 0; --size) {
    const int64_t first_pool = pools;
    std::unordered_multimap<uint64_t, int64_t> seen;  // only shrunken cliques can be equal
    for (const int32_t c : bucket[size]) {
      if (left[c] != size) continue;
      int32_t* const begin = pool_members + pool_offsets[pools];
      int32_t* end = begin;
      for (int64_t i = offsets[c]; i < offsets[c + 1]; ++i)
        if (!assigned[members[i]]) *end++ = members[i];
      if (size < offsets[c + 1] - offsets[c]) {
        std::sort(begin, end);
        const uint64_t h = hash(begin, end);
        const auto [from, to] = seen.equal_range(h);
        if (std::any_of(from, to, [&](const auto& entry) {
              return std::equal(begin, end, pool_members + pool_offsets[entry.second]);
            }))
          continue;
        seen.emplace(h, pools);
      }
      pool_offsets[pools + 1] = pool_offsets[pools] + size;
      ++pools;
    }
    lower.clear();
    for (int64_t i = pool_offsets[first_pool]; i < pool_offsets[pools]; ++i) {
      const int32_t v = pool_members[i];
      if (assigned[v]) continue;
      assigned[v] = 1;
      for (int64_t j = first[v]; j < first[v + 1]; ++j) {
        const int32_t c = cliques_of[j];
        --left[c];
        if (!moved[c]) moved[c] = 1, lower.push_back(c);
      }
    }
    for (const int32_t c : lower) {
      moved[c] = 0;
      bucket[left[c]].push_back(c);
    }
  }
  return pools;
}
