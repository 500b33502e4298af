// Sorting that lets the budget have its say: a long sort answers Ctrl-C and keeps to its seconds.
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

// Moves what is less than some value to the front, and what is greater to the back; returns where the back begins,
// which is neither the beginning nor the end. Takes the value near the middle of three, so that order costs nothing.
template <typename T, typename Less>
T* split(T* const begin, T* const end, const Less& less, Pace& pace) {
  T* const middle = begin + (end - begin) / 2;
  T* median = middle;
  if (less(*middle, *begin)) {
    median = less(end[-1], *middle) ? middle : less(end[-1], *begin) ? end - 1 : begin;
  } else {
    median = less(*middle, end[-1]) ? middle : less(*begin, end[-1]) ? end - 1 : begin;
  }
  std::swap(*begin, *median);
  const T pivot = *begin;
  // Both scans end at the latest where the pivot, or what was swapped last, stands.
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

// For ranges that splitting does not shorten soon: never slower than n log n.
template <typename T, typename Less>
void by_heap(T* begin, T* end, const Less& less, Pace& pace) {
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
void by_splitting(T* begin, T* end, const Less& less, Pace& pace, int splits_left) {
  while (end - begin > kSortedAtOnce) {
    if (splits_left-- == 0) return by_heap(begin, end, less, pace);
    T* const back = split(begin, end, less, pace);
    by_splitting(back, end, less, pace, splits_left);
    end = back;
  }
  std::sort(begin, end, less);
  pace.step(static_cast<std::size_t>(end - begin));
}

}  // namespace sorting

// What std::sort does, with a check of the budget at least once in some thousand elements. If a check throws, the
// values are left in no order.
template <typename T, typename Less = std::less<>>
void sort_in_pieces(T* begin, T* end, Pace& pace, const Less& less = {}) {
  static_assert(std::is_trivially_copyable_v<T>);
  const int splits = 2 * static_cast<int>(std::bit_width(static_cast<std::size_t>(end - begin)));
  sorting::by_splitting(begin, end, less, pace, splits);
}

}  // namespace cliquepool
