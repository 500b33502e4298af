#include "disk/later_lists.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

struct Written {
  Written(const Matrix& adjacent, Budget& budget) {
    const Graph graph = graph_of(adjacent);
    order.resize(adjacent.size());
    offsets.resize(adjacent.size() + 1);
    later.resize(idx(graph.view().num_edges()));
    write_later_lists(graph.view(), {order, offsets, later}, budget);
  }
  Nodes list(Node rank) const { return {later.begin() + offsets[idx(rank)], later.begin() + offsets[idx(rank) + 1]}; }

  Nodes order;
  std::vector<Offset> offsets;
  Nodes later;
};

}  // namespace

TEST(written_lists_have_the_later_neighbours_of_a_degeneracy_order_descending) {
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    const Matrix adjacent = random_matrix(random_between(0, 40, random), random_density(0.02, 0.9, random), random);
    Budget budget;
    const Written written(adjacent, budget);
    CHECK(budget.bytes() == 0);
    Nodes nodes = written.order;
    std::sort(nodes.begin(), nodes.end());
    for (Node v = 0; v < size_of(adjacent); ++v) CHECK(nodes[idx(v)] == v);
    for (Node rank = 0; rank < size_of(adjacent); ++rank) {
      Nodes expected;
      for (Node other = rank + 1; other < size_of(adjacent); ++other)
        if (adjacent[idx(written.order[idx(rank)])][idx(written.order[idx(other)])]) expected.push_back(other);
      std::reverse(expected.begin(), expected.end());
      CHECK(written.list(rank) == expected);
    }
  }
}

TEST(writing_later_lists_obeys_the_limit_of_memory) {
  Budget budget({.max_bytes = 100});
  CHECK_THROWS(Written(complete(50), budget), BudgetExceeded);
}
