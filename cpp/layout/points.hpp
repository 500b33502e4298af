// Points of the plane.
#pragma once

#include <cmath>
#include <span>

namespace cliquepool {

struct Point {
  double x = 0;
  double y = 0;

  Point operator+(Point other) const { return {x + other.x, y + other.y}; }
  Point operator-(Point other) const { return {x - other.x, y - other.y}; }
  Point operator*(double factor) const { return {x * factor, y * factor}; }
  double length() const { return std::sqrt(x * x + y * y); }
};

// Returns point `index` of a spiral that spreads points evenly over a disc: neighbours are about 1 apart.
inline Point spiral_point(std::size_t index) {
  constexpr double kGoldenAngle = 2.399963229728653;
  const double radius = 0.6 * std::sqrt(static_cast<double>(index));
  const double angle = kGoldenAngle * static_cast<double>(index);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace cliquepool
