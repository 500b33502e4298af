#include "base/parallel_flags.hpp"

#include <random>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

TEST(flags_are_cleared_by_any_number_of_threads) {
  std::mt19937 random(3);
  for (const std::size_t count : {std::size_t{0}, std::size_t{10}, std::size_t{100000}}) {
    std::vector<int> values(count);
    for (int& value : values) value = static_cast<int>(random() % 5000);
    std::vector<unsigned char> expected(10000, 1);
    for (const int value : values) expected[2 * static_cast<std::size_t>(value)] = 0;
    for (const unsigned threads : {1U, 2U, 4U}) {
      Budget budget;
      std::vector<unsigned char> flags(10000, 1);
      clear_flags(flags.data(), std::span<const int>(values), threads, budget,
                  [](int value) { return 2 * static_cast<std::size_t>(value); });
      CHECK(flags == expected);
    }
  }
}
