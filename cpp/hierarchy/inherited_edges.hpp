// Inherited edges: the number of edges of the fine graph behind each edge of the coarse graph.
#pragma once

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Returns offdiag(Sᵀ A S), aligned with the neighbours of `coarse`. `graph` is the quotient of the fine level, `sizes`
// the sizes of its classes, `pools` lists of classes; `coarse` is expanded: one node for each pool.
Buffer<std::int64_t> count_inherited_edges(GraphView graph, std::span<const Node> sizes, RaggedView pools,
                                           GraphView coarse, Budget& budget);

}  // namespace cliquepool
