// Sparse stress (Ortmann, Klimenta, Brandes 2017): the stress of a drawing over edges and pivots alone.
#pragma once

#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "layout/pivots.hpp"
#include "layout/points.hpp"

namespace cliquepool {

// Moves `points` so that distances in the plane approach those in the graph: neighbours towards distance 1, every node
// towards its distance to each pivot, which stands for the nodes around it. Each of `rounds` moves every node once, in
// the order of their numbers, to the place that is best for it while the others stay.
void reduce_stress(GraphView graph, const Pivots& pivots, int rounds, Budget& budget, std::span<Point> points);

}  // namespace cliquepool
