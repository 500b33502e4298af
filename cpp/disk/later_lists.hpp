// Later neighbours in a degeneracy order, for graphs that are larger than memory.
#pragma once

#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Arrays of the caller, which may be mapped from files: the vertex of each rank, and the ranks of the later neighbours
// of each, by rank. Lists are descending.
struct LaterLists {
  std::span<Node> order;      // num_nodes
  std::span<Offset> offsets;  // num_nodes + 1
  std::span<Node> later;      // num_edges
};

// Computes the order and the lists. Every row of the graph is read once; the lists are written from the first to the
// last, then renamed and sorted in place in the same direction. Takes 16 bytes a node of memory.
void write_later_lists(GraphView graph, const LaterLists& to, Budget& budget);

}  // namespace cliquepool
