// Many graphs end to end in one CSR: rows are numbered over all graphs, neighbours within each graph.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Returns the index of the first of the edges u0 v0 u1 v1 ... (ids over all graphs) that has an id out of range or
// joins two graphs.
std::optional<std::size_t> first_stray_edge(std::span<const Node> pairs, std::span<const Offset> node_start,
                                            Budget& budget);

// Builds the simple graphs of these edges, as build_graph does. Throws GraphError on a stray edge.
Graph build_flat_graphs(std::span<const Node> pairs, std::span<const Offset> node_start, Budget& budget);

// Throws GraphError, with the index of the graph, unless each graph passes validate_csr.
void validate_flat_graphs(std::span<const Offset> node_start, const GraphView& all, Budget& budget);

}  // namespace cliquepool
