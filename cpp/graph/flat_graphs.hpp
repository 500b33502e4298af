// Many graphs end to end in one CSR: nodes are numbered through all graphs, neighbours inside their own.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// The first of the edges u0 v0 u1 v1 ... (ids through all graphs) with an id that is no node, or between two graphs.
std::optional<std::size_t> first_stray_edge(std::span<const Node> pairs, std::span<const Offset> node_start,
                                            Budget& budget);

// The simple graphs of these edges, none of which is stray: see build_graph.
Graph build_flat_graphs(std::span<const Node> pairs, std::span<const Offset> node_start, Budget& budget);

// Throws GraphError, with the number of the graph, unless each is what validate_csr asks for.
void validate_flat_graphs(std::span<const Offset> node_start, const GraphView& all, Budget& budget);

}  // namespace cliquepool
