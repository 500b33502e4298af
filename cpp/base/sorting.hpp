// Sorting with checks of the budget: a long sort can be interrupted and obeys its time limit.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "base/budget.hpp"

namespace cliquepool {

// Ranges up to this length are sorted without a check.
inline constexpr std::ptrdiff_t kSortedAtOnce = 1 << 12;

namespace sorting {

// Partitions by a pivot, the median of three: smaller values to the front, larger ones to the back. Returns the start
// of the back, which is neither `begin` nor `end`.
template <typename T, typename Less>
T* partition(T* const begin, T* const end, const Less& less, Pace& pace) {
  T* const middle = begin + (end - begin) / 2;
  T* median = middle;
  if (less(*middle, *begin)) {
    median = less(end[-1], *middle) ? middle : less(end[-1], *begin) ? end - 1 : begin;
  } else {
    median = less(*middle, end[-1]) ? middle : less(*begin, end[-1]) ? end - 1 : begin;
  }
  std::swap(*begin, *median);
  const T pivot = *begin;
  // Both scans end at the pivot, or at the values swapped last.
  T* low = begin + 1;
  T* high = end;
  std::size_t compared = 0;
  const auto count = [&] {
    if (++compared < static_cast<std::size_t>(kSortedAtOnce)) return;
    pace.step(compared);
    compared = 0;
  };
  for (;;) {
    for (; less(*low, pivot); ++low) count();
    for (--high; less(pivot, *high); --high) count();
    if (low >= high) break;
    std::swap(*low++, *high);
    count();
  }
  pace.step(compared);
  return low;
}

// For ranges that partitions hardly shorten: O(n log n) always.
template <typename T, typename Less>
void heap_sort(T* begin, T* end, const Less& less, Pace& pace) {
  for (T* next = begin; next != end;) {
    std::push_heap(begin, ++next, less);
    pace.step();
  }
  for (; end != begin; --end) {
    std::pop_heap(begin, end, less);
    pace.step();
  }
}

template <typename T, typename Less>
void intro_sort(T* begin, T* end, const Less& less, Pace& pace, int depth_left) {
  while (end - begin > kSortedAtOnce) {
    if (depth_left-- == 0) return heap_sort(begin, end, less, pace);
    T* const back = partition(begin, end, less, pace);
    intro_sort(back, end, less, pace, depth_left);
    end = back;
  }
  std::sort(begin, end, less);
  pace.step(static_cast<std::size_t>(end - begin));
}

}  // namespace sorting

// Sorts like std::sort, with a check of the budget every few thousand elements. If a check throws, the values are left
// in no particular order.
template <typename T, typename Less = std::less<>>
void sort_in_pieces(T* begin, T* end, Pace& pace, const Less& less = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  const int depth = 2 * static_cast<int>(std::bit_width(static_cast<std::size_t>(end - begin)));
  sorting::intro_sort(begin, end, less, pace, depth);
}

}  // namespace cliquepool
