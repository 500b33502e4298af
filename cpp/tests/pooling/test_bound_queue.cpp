#include "pooling/bound_queue.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/pooling_cases.hpp"

using namespace cliquepool;
using namespace naive;

TEST(bound_queue_gives_levels_from_the_highest_bound_down) {
  Random random(14);
  BoundQueue queue;
  for (int i = 0; i < 200; ++i) {
    const Node n = random_between(1, 50, random);
    Nodes bounds = random_weights(n, i % 2 == 0 ? 20 : kHuge, random);
    Budget budget;
    const ChargeScope scope(budget, queue);
    const Node least = random_between(0, 3, random);
    queue.reset(n, *std::max_element(bounds.begin(), bounds.end()), least);
    const auto enqueue = [&](Node v) {
      queue.enqueue(Rank{v}, bounds[idx(v)]);
      if (bounds[idx(v)] <= least) bounds[idx(v)] = 0;  // not queued
    };
    for (Node v = 0; v < n; ++v) enqueue(v);
    while (const auto level = queue.take_highest()) {
      Nodes expected;
      const Node highest = *std::max_element(bounds.begin(), bounds.end());
      CHECK(level->bound == highest);
      for (Node v = 0; v < n; ++v)
        if (bounds[idx(v)] == highest) expected.push_back(v);
      Nodes taken;
      for (const Rank v : level->vertices) taken.push_back(static_cast<Node>(v));
      std::sort(taken.begin(), taken.end());
      CHECK(taken == expected);
      // Some are queued again, at a lower bound.
      for (const Node v : expected) {
        bounds[idx(v)] = random_between(0, 2, random) == 0 ? random_between(0, highest - 1, random) : 0;
        enqueue(v);
      }
    }
    CHECK(*std::max_element(bounds.begin(), bounds.end()) == 0);
  }
}
