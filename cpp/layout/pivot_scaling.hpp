// Multidimensional scaling by distances to pivots alone (pivot MDS; Brandes, Pich 2006).
#pragma once

#include <span>

#include "base/budget.hpp"
#include "layout/pivots.hpp"
#include "layout/points.hpp"

namespace cliquepool {

// Writes the first two principal components of the double-centred squared distances to `points`, scaled so that
// distances in the plane fit those in the graph. Nodes at equal distances to all pivots get the same point.
void scale_by_pivots(const Pivots& pivots, Budget& budget, std::span<Point> points);

}  // namespace cliquepool
