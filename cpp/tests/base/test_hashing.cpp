#include "base/hashing.hpp"

#include <bit>
#include <cstdint>
#include <set>

#include "tests/check.hpp"

using namespace cliquepool;

TEST(mixed_bits_are_those_of_splitmix64) {
  // The first outputs of SplitMix64 with seed 0.
  CHECK(mix_bits(0) == 0xE220A8397B1DCDAF);
  CHECK(mix_bits(0x9E3779B97F4A7C15) == 0x6E789E6AA1B965F4);
}

TEST(neighbouring_values_differ_in_about_half_of_their_mixed_bits) {
  int differing = 0;
  std::set<std::uint64_t> distinct;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    differing += std::popcount(mix_bits(i) ^ mix_bits(i + 1));
    distinct.insert(mix_bits(i));
  }
  CHECK(distinct.size() == 1000);
  CHECK(differing > 31'000 && differing < 33'000);
}
