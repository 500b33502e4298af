// One shard of a large graph: some vertices, all that a search for the cliques that they lead needs, and nothing else.
#pragma once

#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// The vertices of a shard are its own and their later neighbours, numbered by ascending rank. A list of an own vertex
// has all of its later neighbours. The list of another vertex has only what closes triangles: the ends of edges between
// two later neighbours of an own vertex. Owns nothing.
struct ShardView {
  std::span<const Node> weights;    // of each vertex of the shard
  std::span<const Node> own;        // the vertices whose cliques are found here, ascending
  std::span<const Offset> offsets;  // of the list of each vertex, + 1
  std::span<const Node> later;      // lists are descending: the later neighbours of each member come before it

  Node num_vertices() const { return static_cast<Node>(weights.size()); }
  std::span<const Node> operator[](Node v) const {
    return later.subspan(idx(offsets[idx(v)]), idx(offsets[idx(v) + 1] - offsets[idx(v)]));
  }
};

// The later neighbours of all vertices of a graph, which are named by their ranks. Owns nothing.
struct OrientedView {
  std::span<const Offset> offsets;  // num_vertices + 1
  std::span<const Node> later;

  Node num_vertices() const { return static_cast<Node>(offsets.size() - 1); }
  std::span<const Node> operator[](Node v) const {
    return later.subspan(idx(offsets[idx(v)]), idx(offsets[idx(v) + 1] - offsets[idx(v)]));
  }
};

struct Shard {
  Buffer<Node> ranks;  // of each vertex of the shard, ascending
  Buffer<Node> own;
  Buffer<Offset> offsets;
  Buffer<Node> later;
  Offset own_edges = 0;   // in lists of own vertices
  Offset halo_edges = 0;  // in lists of others
};

// Counts, for each later neighbour in the lists, the later neighbours that both ends have: the edges that are copied
// where the ends are in different shards. The memory stays charged to the budget.
Buffer<Node> count_closing_edges(const OrientedView& graph, Budget& budget);

// Cuts out the shard of the vertices that `owner` gives to `shard`. Time in proportion to listing the triangles that
// own vertices lead. The memory of the shard stays charged to the budget.
Shard cut_shard(const OrientedView& graph, std::span<const Node> owner, Node shard, Budget& budget);

}  // namespace cliquepool
