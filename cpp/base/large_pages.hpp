// Large pages for large arrays that are read at random: where pages are small, such reads also miss the cache of
// addresses (TLB). Not for all arrays: building compressed rows took longer with large pages than without.
#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace cliquepool {

inline constexpr std::size_t kLargePage = std::size_t{1} << 21;
// Smaller arrays would not profit, and would waste much of their last page.
inline constexpr std::size_t kWorthLargePages = 2 * kLargePage;

// Asks the system to use large pages for the whole pages of this size in a new block of memory. Memory that is not
// touched still takes none. Does nothing where the system has no such advice, or refuses it.
inline void advise_large_pages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (bytes < kWorthLargePages) return;
  const auto begin = (reinterpret_cast<std::uintptr_t>(block) + kLargePage - 1) / kLargePage * kLargePage;
  const auto end = (reinterpret_cast<std::uintptr_t>(block) + bytes) / kLargePage * kLargePage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

// The same for an array that is not filled yet.
template <typename Array>
void advise_large_pages(Array& array) {
  advise_large_pages(array.data(), array.size() * sizeof(*array.data()));
}

}  // namespace cliquepool
