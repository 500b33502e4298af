// Moves points apart that are too close to each other.
#pragma once

#include <span>

#include "base/budget.hpp"
#include "layout/points.hpp"

namespace cliquepool {

// Moves points until hardly two are closer than `distance`, or `rounds` times. Points at the same place are put on a
// small spiral first, so the result depends on the points and their order alone.
void separate(std::span<Point> points, double distance, int rounds, Budget& budget);

}  // namespace cliquepool
