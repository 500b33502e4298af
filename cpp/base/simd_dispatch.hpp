// Loops that are compiled twice where the compiler can: for the oldest processor the library supports, and for those
// with AVX2, whose registers are twice as wide. Which one runs is decided once, by the processor.
#pragma once

#if defined(__GNUC__) && defined(__x86_64__)
#define CLIQUEPOOL_WIDE [[gnu::target("avx2,fma")]]
#else
#define CLIQUEPOOL_WIDE
#endif

// Inlined into both, so that each has its own copy.
#if defined(__GNUC__)
#define CLIQUEPOOL_INLINE [[gnu::always_inline]] inline
#else
#define CLIQUEPOOL_INLINE inline
#endif

namespace cliquepool {

inline bool has_wide_registers() {
#if defined(__GNUC__) && defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return wide;
#else
  return false;
#endif
}

}  // namespace cliquepool
