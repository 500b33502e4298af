// The subgraph induced by some vertices of a local graph, renumbered.
#pragma once

#include "pooling/local_graph.hpp"

namespace cliquepool {

// Keeps its memory between uses.
class InducedPart {
 public:
  // Copies the subgraph of `whole` induced by `vertices`, which are numbered from 0 in the given order. With
  // `as_twins`, a vertex of weight w becomes w twins of weight 1: adjacent to each other, with the same other
  // neighbours.
  void extract(const LocalGraph& whole, std::span<const Node> vertices, bool as_twins) {
    const auto copies = [&](Node v) { return as_twins ? whole.weight[idx(v)] : 1; };
    index_.assign(idx(whole.size), kNotInPart);
    origin_.clear();
    for (const Node v : vertices) {
      index_[idx(v)] = static_cast<Node>(origin_.size());
      origin_.push_back(v);
      for (Node copy = 1; copy < copies(v); ++copy) origin_.push_back(kCopy);
    }
    graph_.reset(static_cast<Node>(origin_.size()));
    const Width<0> width(whole.words);
    for (const Node v : vertices) {
      const Node first = index_[idx(v)];
      Word* const row = graph_.row(first);
      width.for_each(whole.row(v), [&](Node u) {
        if (index_[idx(u)] == kNotInPart) return;
        for (Node copy = 0; copy < copies(u); ++copy) set_bit(row, index_[idx(u)] + copy);
      });
      graph_.weight[idx(first)] = as_twins ? 1 : whole.weight[idx(v)];
      if (copies(v) > 1) add_twins(first, copies(v));
    }
  }

  const BitGraph& graph() const { return graph_; }

  // Maps a clique of the part to the vertices of the whole graph that it consists of. Valid until the next call.
  std::span<const Node> in_whole(std::span<const Node> clique) {
    map_to_whole(clique, mapped_);
    return mapped_.span();
  }
  // The same for several threads: writes the vertices to `mapped`.
  void map_to_whole(std::span<const Node> clique, Buffer<Node>& mapped) const {
    mapped.clear();
    for (const Node v : clique)
      if (origin_[idx(v)] != kCopy) mapped.push_back(origin_[idx(v)]);
  }

 private:
  static constexpr Node kNotInPart = -1;
  static constexpr Node kCopy = -1;  // a second or later twin

  // Copies the row of vertex `first` to the `count` - 1 vertices after it, and joins all of them.
  void add_twins(Node first, Node count) {
    const Width<0> width(graph_.words);
    Word* const row = graph_.row(first);
    for (Node copy = 0; copy < count; ++copy) set_bit(row, first + copy);
    for (Node copy = 1; copy < count; ++copy) {
      width.copy(graph_.row(first + copy), row);
      clear_bit(graph_.row(first + copy), first + copy);
      graph_.weight[idx(first + copy)] = 1;
    }
    clear_bit(row, first);
  }

  BitGraph graph_;
  Buffer<Node> origin_;  // per vertex of the part: its vertex in the whole graph, or kCopy
  Buffer<Node> index_;   // per vertex of the whole graph: its first vertex in the part, or kNotInPart
  Buffer<Node> mapped_;
};

}  // namespace cliquepool
