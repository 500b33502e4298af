// The levels of a graph packed into one array of integers, and the unpacking of a batch of such arrays.
//
// Packed graphs are concatenated by data loaders that do not know their contents. A packed graph holds, in this order:
//   its length, and the number of times it was pooled, P;
//   the numbers of nodes of levels 0 to P, of entries (directed edges) of levels 0 to P, and of memberships of levels
//   1 to P;
//   for levels 0 to P: the sources of the entries, then their targets, ordered by target and then by source;
//   for levels 1 to P: the nodes of the level below, then the pools that contain them, ordered by pool and then by
//   node.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace cliquepool {

// The levels of a batch, all arrays end to end in two: `wide` for 64-bit integers, `narrow` for 32-bit ones.
// `wide` has, for levels 0 to P, the start of the nodes of each graph, the start of the entries of each node, sources
// and targets; then, for levels 1 to P, the start of the members of each pool, nodes, pools, and the start of the pools
// of each node. `narrow` has the sources of levels 0 to P; then, for levels 1 to P, the nodes in the order of their
// pools, and the pools in the order of their nodes.
struct UnpackedLevels {
  std::vector<Offset> num_nodes;        // of levels 0 to P, all graphs together
  std::vector<Offset> num_entries;      // of levels 0 to P
  std::vector<Offset> num_memberships;  // of levels 1 to P
  std::size_t num_graphs = 0;
  Buffer<Offset> wide;
  Buffer<Node> narrow;
  Buffer<Offset> entry_start;  // of each level of each graph, counted graph by graph
};

// Throws GraphError unless `packed` holds packed graphs that were all pooled the same number of times.
UnpackedLevels unpack_levels(std::span<const Node> packed);

}  // namespace cliquepool
