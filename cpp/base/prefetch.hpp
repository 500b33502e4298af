// Hints for the cache: lists of random vertices of a large graph are not in it, and several can be fetched at a time.
#pragma once

#include <cstdint>

#ifdef _MSC_VER
#include <intrin.h>
#endif

namespace cliquepool {

// Starts to load the cache line of `address`, which need not be valid.
inline void prefetch(const void* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
  __asm__ volatile("");  // GCC removes calls of functions that do nothing but prefetch
#elif defined(_M_X64)
  _mm_prefetch(static_cast<const char*>(address), _MM_HINT_T0);
#else
  static_cast<void>(address);
#endif
}

// Starts to load the first two cache lines of a list, without a branch on its length: the second address may lie past
// the end, so it is computed as a number.
inline void prefetch_list(const void* list) {
  prefetch(list);
  prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(list) + 64));
}

}  // namespace cliquepool
