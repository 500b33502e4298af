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
    queue.reset(n, *std::max_element(bounds.begin(), bounds.end()));
    for (Node v = 0; v < n; ++v) queue.push(v, bounds[idx(v)]);
    Node bound = 0;
    Buffer<Node> level;
    while (queue.take_level(bound, level)) {
      Nodes expected;
      const Node highest = *std::max_element(bounds.begin(), bounds.end());
      CHECK(bound == highest);
      for (Node v = 0; v < n; ++v)
        if (bounds[idx(v)] == highest) expected.push_back(v);
      std::sort(level.begin(), level.end());
      CHECK(nodes_of(level.span()) == expected);
      // Some wait again, at a lower bound.
      for (const Node v : expected) {
        bounds[idx(v)] = random_between(0, 2, random) == 0 ? random_between(0, bound - 1, random) : 0;
        if (bounds[idx(v)] > 0) queue.push(v, bounds[idx(v)]);
      }
    }
    CHECK(*std::max_element(bounds.begin(), bounds.end()) == 0);
  }
}
