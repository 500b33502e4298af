// SIMD dispatch: loops compiled twice where the compiler supports it, for the baseline processor and for AVX2 with FMA,
// whose registers are twice as wide. The processor decides once which copy runs:
//
//   template <typename T> CLIQUEPOOL_INLINE void add(Rows<T> x) { ... }                 // the loop itself
//   template <typename T> CLIQUEPOOL_AVX2 void add_avx2(Rows<T> x) { add(x); }          // its AVX2 copy
//   has_avx2() ? add_avx2(x) : add(x);
#pragma once

#if defined(__GNUC__) && defined(__x86_64__)
#define CLIQUEPOOL_AVX2 [[gnu::target("avx2,fma")]]
#else
#define CLIQUEPOOL_AVX2
#endif

// Inlined into both copies, so that each is compiled for its processor.
#if defined(__GNUC__)
#define CLIQUEPOOL_INLINE [[gnu::always_inline]] inline
#else
#define CLIQUEPOOL_INLINE inline
#endif

// Pointers that alias no other pointer of the loop: many loops vectorise only then.
#if defined(_MSC_VER)
#define CLIQUEPOOL_RESTRICT __restrict
#else
#define CLIQUEPOOL_RESTRICT __restrict__
#endif

namespace cliquepool {

inline bool has_avx2() {
#if defined(__GNUC__) && defined(__x86_64__)
  static const bool supported = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return supported;
#else
  return false;
#endif
}

}  // namespace cliquepool
