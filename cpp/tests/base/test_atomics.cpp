#include "base/atomics.hpp"

#include <vector>

#include "base/parallel.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

TEST(atomic_operations_of_several_threads_lose_nothing) {
  std::vector<int> counts(3, 0);
  Budget budget;
  share_out(4, 1000, budget, [&](unsigned, std::size_t chunk) {
    atomic_add(counts[chunk % 3], 2);
    if (chunk == 500) atomic_store(counts[2], atomic_load(counts[2]));
  });
  CHECK(counts[0] == 668);
  CHECK(counts[1] == 666);
  CHECK(atomic_add(counts[0], -1) == 668);
  CHECK(atomic_load(counts[0]) == 667);
}

TEST(a_value_that_several_threads_decrease_stops_at_the_least) {
  int value = 500;
  std::vector<int> stopped(1000);
  Budget budget;
  share_out(4, stopped.size(), budget, [&](unsigned, std::size_t chunk) {
    const int before = atomic_decrease_above(value, 7);
    stopped[chunk] = before == 7;
    if (before < 7) stopped[chunk] = 1000;
  });
  CHECK(value == 7);
  int sum = 0;
  for (const int each : stopped) sum += each;
  CHECK(sum == 1000 - (500 - 7));
  value = -3;
  CHECK(atomic_decrease_above(value, 7) == -3);
  CHECK(value == -3);
}
