// The connected components of a graph.
#pragma once

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Returns the nodes of each component, ascending; the largest component first, equal ones by their smallest node.
Ragged connected_components(GraphView graph, Budget& budget);

}  // namespace cliquepool
