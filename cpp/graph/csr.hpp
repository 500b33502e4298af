// Building and validating the CSR graph that everything else works on.
#pragma once

#include <cstddef>
#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "graph/endpoints.hpp"
#include "graph/node_id.hpp"

namespace cliquepool {

// Builds the undirected simple graph of these edges: loops dropped, parallel and reversed edges merged, neighbours
// ascending. Linear in nodes and edges. Throws GraphError on an id outside 0..num_nodes-1. Any number of threads gives
// the same graph.
template <NodeId Id>
Graph build_graph(Endpoints<Id> sources, Endpoints<Id> targets, std::size_t num_edges, Node num_nodes, Budget& budget,
                  unsigned threads = 1);

// The same from pairs end to end: u0 v0 u1 v1 ...
template <NodeId Id>
Graph build_graph(std::span<const Id> pairs, Node num_nodes, Budget& budget, unsigned threads = 1) {
  if (pairs.empty()) return build_graph<Id>({}, {}, 0, num_nodes, budget);
  return build_graph<Id>({pairs.data(), 2}, {pairs.data() + 1, 2}, pairs.size() / 2, num_nodes, budget, threads);
}

// Throws GraphError unless `graph` satisfies the invariants of GraphView: offsets that start at 0, never decrease and
// end at the number of neighbours; every neighbour a node, ascending and distinct, no loop, both directions present.
void validate_csr(const GraphView& graph, Budget& budget);

}  // namespace cliquepool
