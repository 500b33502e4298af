// Building a large CSR graph in parts that fit into the cache, on several threads.
#pragma once

#include <cstddef>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "graph/endpoints.hpp"

namespace cliquepool {

// Builds the same graph as build_graph (see csr.hpp) from edges whose ids are all valid. Needs 16 bytes an edge, of
// which the graph keeps 8, and is faster than random writes to all lists from some hundred thousand edges on.
template <NodeId Id>
Graph build_by_parts(Endpoints<Id> sources, Endpoints<Id> targets, std::size_t num_edges, Node num_nodes,
                     unsigned threads, Budget& budget);

}  // namespace cliquepool
