// From pairs of ids to the CSR graph that everything else works on.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/budget.hpp"
#include "base/buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Ids come as int32 or int64; these are all there is.
template <typename Id>
concept NodeId = std::same_as<Id, std::int32_t> || std::same_as<Id, std::int64_t>;

// One end of every edge, wherever it lies: a column or a row of somebody else's array.
template <NodeId Id>
struct Endpoints {
  const Id* first = nullptr;
  std::ptrdiff_t step = 1;

  Id operator[](std::size_t edge) const { return first[static_cast<std::ptrdiff_t>(edge) * step]; }
};

// The undirected simple graph of these edges: loops dropped, parallel and reversed edges merged, neighbours
// ascending. Linear in nodes and edges. Throws GraphError on an id outside 0..num_nodes-1.
template <NodeId Id>
Graph build_graph(Endpoints<Id> sources, Endpoints<Id> targets, std::size_t num_edges, Node num_nodes, Budget& budget);

// The same from pairs that lie end to end: u0 v0 u1 v1 ...
template <NodeId Id>
Graph build_graph(std::span<const Id> pairs, Node num_nodes, Budget& budget) {
  if (pairs.empty()) return build_graph<Id>({}, {}, 0, num_nodes, budget);
  return build_graph<Id>({pairs.data(), 2}, {pairs.data() + 1, 2}, pairs.size() / 2, num_nodes, budget);
}

// The distinct ids of a graph's edges, ascending: those of its nodes 0..num_nodes-1.
struct CompactIds {
  Node num_nodes = 0;
  std::optional<Buffer<std::int64_t>> labels;  // none when they are 0..num_nodes-1 themselves
};

// Replaces every id by its rank among the distinct ones. Expected linear time plus the sorting of the distinct
// ids, and no sorting at all where they lie close together. Throws GraphError when there are more distinct ids than
// a graph can have nodes.
template <NodeId Id>
CompactIds compact_ids(std::span<Id> ids, Budget& budget);

// Throws GraphError unless `graph` is what GraphView promises: offsets that start at 0, never fall and end at
// the number of neighbours; every neighbour a node, ascending and distinct, no loop, both directions present.
void validate_csr(const GraphView& graph, Budget& budget);

}  // namespace cliquepool
