// Clearing many flags on several threads.
#pragma once

#include <cstddef>
#include <span>

#include "base/atomics.hpp"
#include "base/parallel.hpp"

namespace cliquepool {

// Clears flags[index_of(value)] for each value. The same flag may be cleared several times, also by different threads.
template <typename T, typename IndexOf>
void clear_flags(unsigned char* flags, std::span<const T> values, unsigned threads, Budget& budget,
                 const IndexOf& index_of) {
  constexpr std::size_t kPerRange = std::size_t{1} << 14;
  share_ranges(values.size() <= kPerRange ? 1 : threads, values.size(), kPerRange, budget,
               [&](unsigned, std::size_t first, std::size_t last) {
                 constexpr unsigned char kCleared = 0;
                 for (std::size_t i = first; i < last; ++i) atomic_store(flags[index_of(values[i])], kCleared);
               });
}

}  // namespace cliquepool
