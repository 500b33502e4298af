// Hash of a 64-bit value for hash tables and set hashes.
#pragma once

#include <cstdint>

namespace cliquepool {

// One step of SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit of `value`.
constexpr std::uint64_t mix_bits(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
  return value ^ (value >> 31);
}

}  // namespace cliquepool
