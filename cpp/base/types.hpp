// The words everything else is written in: nodes, offsets, graphs, ragged lists.
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

// An index is non-negative by the invariants of every structure here; this says so to the compiler.
template <typename Int>
constexpr std::size_t idx(Int value) {
  assert(value >= 0);
  return static_cast<std::size_t>(value);
}

// An undirected simple graph in CSR form, both directions, neighbours ascending, no loops. Owns nothing.
struct GraphView {
  std::span<const Offset> offsets;   // num_nodes + 1
  std::span<const Node> neighbours;  // offsets.back()

  Node num_nodes() const { return static_cast<Node>(offsets.size() - 1); }
  Offset num_edges() const { return static_cast<Offset>(neighbours.size()) / 2; }
  Node degree(Node v) const { return static_cast<Node>(offsets[idx(v) + 1] - offsets[idx(v)]); }
  std::span<const Node> operator[](Node v) const { return neighbours.subspan(idx(offsets[idx(v)]), idx(degree(v))); }
};

struct Graph {
  Buffer<Offset> offsets;
  Buffer<Node> neighbours;

  GraphView view() const { return {offsets.span(), neighbours.span()}; }
};

// Lists of nodes end to end: cliques, pools, memberships.
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
