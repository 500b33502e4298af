#include "base/parallel_sorting.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

TEST(shared_sorting_sorts_as_std_sort_does) {
  std::mt19937 random(9);
  Budget budget;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5000}, std::size_t{60000}}) {
    for (const std::uint32_t values : {1U, 7U, 1U << 30}) {
      for (const unsigned threads : {1U, 2U, 3U, 8U}) {
        std::vector<std::uint32_t> numbers(size);
        for (auto& number : numbers) number = random() % values;
        if (threads == 3) std::sort(numbers.begin(), numbers.end());
        auto expected = numbers;
        std::sort(expected.begin(), expected.end(), std::greater<>());
        sort_shared(
            std::span(numbers), threads, budget, [](std::uint32_t number) { return ~number; }, std::greater<>());
        CHECK(numbers == expected);
      }
    }
  }
}

TEST(shared_sorting_stops_when_its_time_is_over) {
  std::vector<int> numbers(100000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 100003);
  Budget none({.max_seconds = -1});
  const auto key_of = [](int number) { return static_cast<std::uint32_t>(number); };
  CHECK_THROWS(sort_shared(std::span(numbers), 2, none, key_of), BudgetExceeded);
}
