#include "layout/sparse_stress.hpp"

#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

TEST(stress_of_a_path_vanishes_from_any_start) {
  const Graph graph = graph_of(path(8));
  Budget budget;
  const Pivots pivots(graph.view(), 8, budget);
  std::vector<Point> points;
  for (std::size_t v = 0; v < 8; ++v) points.push_back(spiral_point(v));
  reduce_stress(graph.view(), pivots, 400, budget, points);
  for (std::size_t v = 1; v < 8; ++v) CHECK(std::abs((points[v] - points[v - 1]).length() - 1) < 0.05);
  CHECK((points[7] - points[0]).length() > 6.5);
}

TEST(a_node_without_terms_stays) {
  const Graph graph = graph_of(matrix_of(1, {}));
  Budget budget;
  const Pivots pivots(graph.view(), 1, budget);
  std::vector<Point> points{{3, 4}};
  reduce_stress(graph.view(), pivots, 5, budget, points);
  CHECK(points[0].x == 3 && points[0].y == 4);
}
