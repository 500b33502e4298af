#include "layout/pivots.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

TEST(pivots_have_the_distances_of_breadth_first_search) {
  const Graph graph = graph_of(cycle(9));
  Budget budget;
  const Pivots pivots(graph.view(), 3, budget);
  CHECK(pivots.size() == 3);
  for (std::size_t p = 0; p < pivots.size(); ++p)
    for (Node v = 0; v < 9; ++v) {
      const int apart = std::abs(v - pivots.node(p));
      CHECK(pivots.distances(p)[idx(v)] == std::min(apart, 9 - apart));
    }
}

TEST(pivots_are_far_from_each_other_and_each_node_knows_the_closest) {
  const Graph graph = graph_of(path(7));
  Budget budget;
  const Pivots pivots(graph.view(), 3, budget);
  // Node 1 is the first of highest degree; 6 is farthest from it, and 3 from both.
  CHECK(pivots.node(0) == 1 && pivots.node(1) == 6 && pivots.node(2) == 3);
  const Nodes closest(pivots.closest().begin(), pivots.closest().end());
  CHECK(closest == (Nodes{0, 0, 0, 2, 2, 1, 1}));
}

TEST(there_are_no_more_pivots_than_nodes) {
  const Graph graph = graph_of(complete(4));
  Budget budget;
  CHECK(Pivots(graph.view(), 50, budget).size() == 4);
}

TEST(distances_to_pivots_are_charged) {
  const Graph graph = graph_of(path(1000));
  Budget budget({.max_bytes = 1000});
  CHECK_THROWS(Pivots(graph.view(), 50, budget), BudgetExceeded);
}
