#include "base/bucket_sorting.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

namespace {

using Triple = std::array<std::int32_t, 3>;

std::vector<Triple> random_triples(std::size_t size, int highest, std::mt19937& random) {
  std::vector<Triple> triples(size);
  for (Triple& triple : triples)
    for (std::int32_t& value : triple) value = std::uniform_int_distribution<int>(0, highest)(random);
  return triples;
}

void sort(std::vector<Triple>& triples, Budget& budget) {
  Pace pace(budget);
  const auto key_of = [](const Triple& triple) { return static_cast<std::uint32_t>(triple[0]); };
  sort_in_buckets(triples.data(), triples.data() + triples.size(), pace, key_of, std::less<>());
}

}  // namespace

TEST(values_are_sorted_in_buckets_as_by_comparisons) {
  std::mt19937 random(8);
  Budget budget;
  for (const std::size_t size : {0, 1, 2, 511, 512, 600, 5000, 100000}) {
    for (const int highest : {0, 1, 40, 3000, 1 << 20, 2147483647}) {
      std::vector<Triple> triples = random_triples(size, highest, random);
      std::vector<Triple> expected = triples;
      std::sort(expected.begin(), expected.end());
      sort(triples, budget);
      CHECK(triples == expected);
      sort(triples, budget);  // sorted already
      CHECK(triples == expected);
      std::reverse(triples.begin(), triples.end());
      sort(triples, budget);
      CHECK(triples == expected);
    }
  }
}

TEST(keys_that_are_nearly_all_equal_are_sorted) {
  std::mt19937 random(9);
  Budget budget;
  std::vector<Triple> triples = random_triples(30000, 5, random);
  for (Triple& triple : triples) triple[0] = triple[2] == 5 ? triple[1] : 2147483646;
  std::vector<Triple> expected = triples;
  std::sort(expected.begin(), expected.end());
  sort(triples, budget);
  CHECK(triples == expected);
}

TEST(sorting_in_buckets_can_be_interrupted) {
  std::mt19937 random(10);
  std::vector<Triple> triples = random_triples(100000, 1 << 20, random);
  Budget budget({.max_seconds = 0});
  CHECK_THROWS(sort(triples, budget), BudgetExceeded);
}
