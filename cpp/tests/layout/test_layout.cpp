#include "layout/layout.hpp"

#include <cmath>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

std::vector<Point> positions_of(const Matrix& adjacent) {
  const Graph graph = graph_of(adjacent);
  std::vector<Point> points(adjacent.size());
  Budget budget;
  lay_out(graph.view(), {}, budget, points);
  return points;
}

}  // namespace

TEST(every_small_graph_gets_finite_positions_that_do_not_change) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Matrix adjacent = random_matrix(random_between(0, 20, random), random_density(0, 0.6, random), random);
    const std::vector<Point> points = positions_of(adjacent);
    const std::vector<Point> again = positions_of(adjacent);
    for (std::size_t v = 0; v < points.size(); ++v) {
      CHECK(std::isfinite(points[v].x) && std::isfinite(points[v].y));
      CHECK(points[v].x == again[v].x && points[v].y == again[v].y);
    }
  }
}

TEST(distances_on_a_cycle_grow_with_those_in_the_graph) {
  const std::vector<Point> points = positions_of(cycle(16));
  for (std::size_t v = 0; v < 16; ++v) {
    const double beside = (points[v] - points[(v + 1) % 16]).length();
    const double opposite = (points[v] - points[(v + 8) % 16]).length();
    CHECK(beside > 0.5 && beside < 1.5);
    CHECK(opposite > 3 * beside);
  }
}

TEST(components_do_not_overlap) {
  Matrix adjacent = matrix(12, [](Node u, Node v) { return u / 4 == v / 4; });
  const std::vector<Point> points = positions_of(adjacent);
  for (std::size_t v = 0; v < 12; ++v)
    for (std::size_t u = 0; u < v; ++u)
      if (u / 4 != v / 4) CHECK((points[u] - points[v]).length() > 1);
}

TEST(layout_stops_when_its_time_is_over) {
  Random random(1);
  const Graph graph = graph_of(random_matrix(200, 0.1, random));
  std::vector<Point> points(200);
  Budget budget({.max_seconds = 0});
  CHECK_THROWS(lay_out(graph.view(), {}, budget, points), BudgetExceeded);
}
