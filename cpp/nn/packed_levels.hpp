// The levels of a graph packed into one array of numbers, and the levels of many such graphs unpacked into one batch.
//
// Packed graphs are concatenated by whoever batches them, without knowing what is in them. A packed graph holds, in
// this order:
//   its length in numbers and how often it was pooled, P;
//   the nodes of levels 0 to P, the entries (directed edges) of levels 0 to P, the memberships of levels 1 to P:
//   counts; for levels 0 to P: the sources of the entries, then their targets, ordered by target and then by source;
//   for levels 1 to P: the nodes of the level below, then the pools that they are in, ordered by pool and then by node.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace cliquepool {

// The levels of a batch. `wide` has, for levels 0 to P, where each graph's nodes begin, where each node's entries
// begin, sources and targets; then, for levels 1 to P, where each pool's members begin, nodes, pools, and where each
// node's pools begin. `narrow` has the sources of levels 0 to P; then, for levels 1 to P, the nodes in the order of
// their pools, and the pools in the order of their nodes.
struct UnpackedLevels {
  std::vector<Offset> num_nodes;        // of levels 0 to P, all graphs together
  std::vector<Offset> num_entries;      // of levels 0 to P
  std::vector<Offset> num_memberships;  // of levels 1 to P
  std::size_t num_graphs = 0;
  Buffer<Offset> wide;
  Buffer<Node> narrow;
  Buffer<Offset> entry_start;  // where the entries of each level of each graph begin, counted graph by graph
};

// Throws GraphError where the numbers are not those of packed graphs, all pooled equally often.
UnpackedLevels unpack_levels(std::span<const Node> packed);

}  // namespace cliquepool
