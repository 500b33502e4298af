// How a thread computes with denormal numbers, those too close to zero for full precision: exactly, which is slow on
// many processors, or with zeros in their place. Each thread has its own mode.
#pragma once

#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#include <xmmintrin.h>
#endif

namespace cliquepool {

// The bits of the floating-point control register that select the mode.
using DenormalMode = std::uint32_t;

#if defined(__x86_64__) || defined(_M_X64)

// MXCSR: flush denormal results to zero (bit 15), read denormal operands as zeros (bit 6).
inline constexpr DenormalMode kFlushDenormals = 0x8040;

inline DenormalMode denormal_mode() { return _mm_getcsr() & kFlushDenormals; }
inline void set_denormal_mode(DenormalMode mode) {
  _mm_setcsr((_mm_getcsr() & ~kFlushDenormals) | (mode & kFlushDenormals));
}

#elif defined(__aarch64__) && defined(__GNUC__)

// FPCR: flush denormal operands and results to zero (bit 24).
inline constexpr DenormalMode kFlushDenormals = std::uint32_t{1} << 24;

inline DenormalMode denormal_mode() {
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return static_cast<DenormalMode>(control) & kFlushDenormals;
}
inline void set_denormal_mode(DenormalMode mode) {
  std::uint64_t control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  control = (control & ~std::uint64_t{kFlushDenormals}) | (mode & kFlushDenormals);
  asm volatile("msr fpcr, %0" : : "r"(control));
}

#else

// Unknown processor or compiler: the mode cannot be changed.
inline constexpr DenormalMode kFlushDenormals = 0;

inline DenormalMode denormal_mode() { return 0; }
inline void set_denormal_mode(DenormalMode) {}

#endif

}  // namespace cliquepool
