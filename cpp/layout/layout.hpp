// Positions for the nodes of a graph in the plane, for pictures.
#pragma once

#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "layout/points.hpp"

namespace cliquepool {

struct LayoutOptions {
  int pivots = 50;  // for each component
  int rounds = 30;  // of sparse stress
};

// Writes a position for each node: neighbours are about 1 apart, farther in a dense component, which gets an area of at
// least 1 for each node. Components are laid out one by one, by pivot MDS and then sparse stress, and packed in rows.
// Depends on the graph alone. Time is linear in (edges + pivots * nodes) * rounds.
void lay_out(GraphView graph, const LayoutOptions& options, Budget& budget, std::span<Point> points);

}  // namespace cliquepool
