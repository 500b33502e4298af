// Sorting in place by integer keys: faster than comparisons where there are millions of values.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/budget.hpp"
#include "base/sorting.hpp"

namespace cliquepool {

namespace sorting {

inline constexpr std::size_t kMostBuckets = 2048;
inline constexpr std::size_t kWorthBuckets = 512;  // values; fewer are sorted by comparisons

// Moves every value to its bucket: cycle by cycle, each value that is displaced goes to its own bucket next. `next` has
// the start of each bucket, and its end in the end.
template <typename T, typename BucketOf>
void permute(T* values, std::span<std::size_t> next, std::span<const std::size_t> end, const BucketOf& bucket_of,
             Pace& pace) {
  for (std::size_t bucket = 0; bucket < next.size(); ++bucket) {
    while (next[bucket] < end[bucket]) {
      T value = values[next[bucket]];
      for (std::size_t other = bucket_of(value); other != bucket; other = bucket_of(value))
        std::swap(value, values[next[other]++]);
      values[next[bucket]++] = value;
      pace.step();
    }
  }
}

}  // namespace sorting

// Sorts by `less`, which puts smaller keys first: key_of(value) is an unsigned integer of 32 bits. Distributes the
// values by the high bits of their keys, then sorts each bucket (McIlroy, Bostic, McIlroy 1993).
template <typename T, typename KeyOf, typename Less>
void sort_in_buckets(T* begin, T* end, Pace& pace, const KeyOf& key_of, const Less& less) {
  const auto size = static_cast<std::size_t>(end - begin);
  if (size < sorting::kWorthBuckets) {
    std::sort(begin, end, less);
    pace.step(size);
    return;
  }
  std::uint32_t lowest = key_of(*begin);
  std::uint32_t highest = lowest;
  for (const T* value = begin; value != end; ++value) {
    lowest = std::min(lowest, key_of(*value));
    highest = std::max(highest, key_of(*value));
  }
  if (lowest == highest) return sort_in_pieces(begin, end, pace, less);
  const std::size_t most = std::min(sorting::kMostBuckets, std::bit_ceil(size / 4));
  int shift = 0;
  while ((highest - lowest) >> shift >= most) ++shift;
  const auto bucket_of = [&](const T& value) { return std::size_t{(key_of(value) - lowest) >> shift}; };
  const std::size_t num_buckets = std::size_t{(highest - lowest) >> shift} + 1;

  std::array<std::size_t, sorting::kMostBuckets> next;
  std::array<std::size_t, sorting::kMostBuckets> ends;
  std::fill_n(ends.begin(), num_buckets, std::size_t{0});
  for (const T* value = begin; value != end; ++value) ++ends[bucket_of(*value)];
  std::size_t sum = 0;
  for (std::size_t bucket = 0; bucket < num_buckets; ++bucket) {
    next[bucket] = sum;
    sum += ends[bucket];
    ends[bucket] = sum;
  }
  sorting::permute(begin, std::span(next.data(), num_buckets), std::span<const std::size_t>(ends.data(), num_buckets),
                   bucket_of, pace);
  for (std::size_t bucket = 0, first = 0; bucket < num_buckets; first = ends[bucket++])
    sort_in_buckets(begin + first, begin + ends[bucket], pace, key_of, less);
}

}  // namespace cliquepool
