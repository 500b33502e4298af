#include "layout/components.hpp"

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

TEST(components_are_listed_largest_first_then_by_smallest_node) {
  const Graph graph = graph_of(matrix_of(7, {{1, 6}, {2, 4}, {4, 5}}));
  Budget budget;
  const Ragged components = connected_components(graph.view(), budget);
  Lists lists;
  for (Offset c = 0; c < components.size(); ++c) lists.emplace_back(components[c].begin(), components[c].end());
  CHECK(lists == (Lists{{2, 4, 5}, {1, 6}, {0}, {3}}));
}

TEST(the_graph_without_nodes_has_no_component) {
  const Graph graph = graph_of(matrix_of(0, {}));
  Budget budget;
  CHECK(connected_components(graph.view(), budget).size() == 0);
}
