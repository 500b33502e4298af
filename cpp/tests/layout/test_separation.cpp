#include "layout/separation.hpp"

#include <random>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

namespace {

double closest_pair(const std::vector<Point>& points) {
  double least = 1e300;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, (points[i] - points[j]).length());
  return least;
}

}  // namespace

TEST(points_at_one_place_are_separated) {
  std::vector<Point> points(50);
  Budget budget;
  separate(points, 2, 500, budget);
  CHECK(closest_pair(points) > 1.8);
}

TEST(points_far_from_each_other_hardly_move) {
  std::vector<Point> points{{0, 0}, {100, 0}, {0, 5000}};
  const std::vector<Point> before = points;
  Budget budget;
  separate(points, 1, 100, budget);
  for (std::size_t i = 0; i < 3; ++i) CHECK((points[i] - before[i]).length() < 0.01);
}

TEST(random_points_are_separated_and_equally_so_each_time) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 10);
  std::vector<Point> points;
  for (int i = 0; i < 60; ++i) points.push_back({uniform(random), uniform(random)});
  std::vector<Point> again = points;
  Budget budget;
  separate(points, 1, 500, budget);
  separate(again, 1, 500, budget);
  CHECK(closest_pair(points) > 0.8);
  for (std::size_t i = 0; i < points.size(); ++i) CHECK(points[i].x == again[i].x && points[i].y == again[i].y);
}

TEST(no_point_and_one_point_need_no_separation) {
  std::vector<Point> points;
  Budget budget;
  separate(points, 1, 5, budget);
  points.push_back({1, 2});
  separate(points, 1, 5, budget);
  CHECK(points[0].x == 1 && points[0].y == 2);
}
