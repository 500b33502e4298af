#include "layout/pivot_scaling.hpp"

#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

TEST(a_path_is_scaled_to_a_line_in_its_order) {
  const Graph graph = graph_of(path(12));
  Budget budget;
  const Pivots pivots(graph.view(), 12, budget);
  std::vector<Point> points(12);
  scale_by_pivots(pivots, budget, points);
  for (std::size_t v = 1; v < 12; ++v) {
    const Point step = points[v] - points[v - 1];
    CHECK(step.length() > 0.9 && step.length() < 1.1);
    CHECK((points[v] - points[0]).length() > (points[v - 1] - points[0]).length());
  }
}

TEST(two_nodes_are_scaled_to_different_points) {
  const Graph graph = graph_of(complete(2));
  Budget budget;
  const Pivots pivots(graph.view(), 2, budget);
  std::vector<Point> points(2);
  scale_by_pivots(pivots, budget, points);
  CHECK((points[0] - points[1]).length() > 0.5);
}
