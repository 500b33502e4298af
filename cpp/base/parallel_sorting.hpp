// Sorting in place on several threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <iterator>
#include <span>
#include <vector>

#include "base/bucket_sorting.hpp"
#include "base/parallel.hpp"
#include "base/sorting.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Sorts like sort_in_buckets, on up to `threads` threads. Partitions the values until there are several parts for each
// thread, and then sorts the parts.
template <typename T, typename KeyOf, typename Less = std::less<>>
void sort_shared(std::span<T> values, unsigned threads, Budget& budget, const KeyOf& key_of, const Less& less = {}) {
  constexpr std::size_t kPartsPerThread = 4;
  std::vector<std::span<T>> parts{values};
  const std::size_t most = threads <= 1 ? values.size() : values.size() / (kPartsPerThread * threads) + 1;
  // Bad pivots may leave parts too long: they only cost time, as every part is sorted in O(n log n).
  const int rounds = 2 * static_cast<int>(std::bit_width(kPartsPerThread * threads));
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::span<T>> backs(parts.size());
    share_out(threads, parts.size(), budget, [&](unsigned, std::size_t i) {
      if (parts[i].size() <= std::max(most, idx(kSortedAtOnce))) return;
      Pace pace(budget);
      T* const begin = parts[i].data();
      const auto front =
          static_cast<std::size_t>(sorting::partition(begin, begin + parts[i].size(), less, pace) - begin);
      backs[i] = parts[i].subspan(front);
      parts[i] = parts[i].first(front);
    });
    const std::size_t before = parts.size();
    std::copy_if(backs.begin(), backs.end(), std::back_inserter(parts), [](auto back) { return !back.empty(); });
    if (parts.size() == before) break;
  }
  share_out(threads, parts.size(), budget, [&](unsigned, std::size_t i) {
    Pace pace(budget);
    sort_in_buckets(parts[i].data(), parts[i].data() + parts[i].size(), pace, key_of, less);
  });
}

}  // namespace cliquepool
