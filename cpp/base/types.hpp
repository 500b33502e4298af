// The basic types of the core: nodes, ranks, offsets, graphs, ragged lists.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/buffer.hpp"

namespace cliquepool {

using Node = std::int32_t;    // node, class and pool ids; class sizes
using Offset = std::int64_t;  // positions in flat arrays

inline constexpr Node kMaxNodes = std::numeric_limits<Node>::max();

// The position of a vertex in an order of the vertices. A distinct type: the compiler does not mix ranks with ids.
enum class Rank : Node {};

// Convert an index to the type that arrays take. Indices are never negative.
template <typename Int>
constexpr std::size_t idx(Int value) {
  assert(value >= 0);
  return static_cast<std::size_t>(value);
}
constexpr std::size_t idx(Rank rank) { return idx(static_cast<Node>(rank)); }

// An undirected simple graph in CSR form, both directions, neighbours ascending, no loops. Owns nothing.
struct GraphView {
  std::span<const Offset> offsets;   // num_nodes + 1
  std::span<const Node> neighbours;  // offsets.back()

  Node num_nodes() const { return static_cast<Node>(offsets.size() - 1); }
  Offset num_edges() const { return static_cast<Offset>(neighbours.size()) / 2; }
  Node degree(Node v) const { return static_cast<Node>(offsets[idx(v) + 1] - offsets[idx(v)]); }
  std::span<const Node> operator[](Node v) const { return neighbours.subspan(idx(offsets[idx(v)]), idx(degree(v))); }
};

// A graph with a positive weight for each node. In a graph between twin classes, the weight of a class is its number of
// nodes. Owns nothing.
struct WeightedGraph {
  GraphView graph;
  std::span<const Node> weights;  // empty: all ones

  // A graph without weights is one whose weights are all one: the conversion is implicit.
  WeightedGraph(GraphView view, std::span<const Node> node_weights = {}) : graph(view), weights(node_weights) {
    assert(weights.empty() || weights.size() == idx(graph.num_nodes()));
  }
  Node num_nodes() const { return graph.num_nodes(); }
  Node weight(Node v) const { return weights.empty() ? 1 : weights[idx(v)]; }
};

struct Graph {
  Buffer<Offset> offsets;
  Buffer<Node> neighbours;

  GraphView view() const { return {offsets.span(), neighbours.span()}; }
};

// Lists of nodes, concatenated: cliques, pools, memberships.
struct RaggedView {
  std::span<const Offset> offsets;  // size + 1
  std::span<const Node> members;

  Offset size() const { return static_cast<Offset>(offsets.size() - 1); }
  std::span<const Node> operator[](Offset i) const {
    return members.subspan(idx(offsets[idx(i)]), idx(offsets[idx(i) + 1] - offsets[idx(i)]));
  }
};

struct Ragged {
  Buffer<Offset> offsets;
  Buffer<Node> members;

  Ragged() { offsets.push_back(0); }
  Offset size() const { return static_cast<Offset>(offsets.size()) - 1; }
  RaggedView view() const { return {offsets.span(), members.span()}; }
  std::span<const Node> operator[](Offset i) const { return view()[i]; }
  void close_list() { offsets.push_back(static_cast<Offset>(members.size())); }
  void append(std::span<const Node> list) {
    members.append(list);
    close_list();
  }
  void append_all(RaggedView lists) {
    const Offset base = static_cast<Offset>(members.size());
    for (const Offset offset : lists.offsets.subspan(1)) offsets.push_back(base + offset);
    members.append(lists.members);
  }
  std::int64_t bytes() const {
    return static_cast<std::int64_t>(members.size() * sizeof(Node) + offsets.size() * sizeof(Offset));
  }
  void clear() {
    offsets.resize(1);
    members.clear();
  }
};

}  // namespace cliquepool
