// A graph so small that every set of its nodes is one machine word, and its cliques.
#pragma once

#include <array>

#include "pooling/word_clique_search.hpp"

namespace cliquepool {

// A weighted graph of at most 64 nodes, a vertex of weight w counted as w nodes. Vertices have their bits in the order
// of their ids, as WordVertices describes, so that cliques are listed in canonical order.
class WordGraph {
 public:
  static constexpr Node kCapacity = kWordBits;

  WordGraph() {
    for (Node v = 0; v < kCapacity; ++v) vertex_[idx(v)] = v;
  }

  // Returns false, and leaves the graph unusable, if there are too many nodes.
  bool fill(const WeightedGraph& weighted) {
    const GraphView graph = weighted.graph;
    const Node n = graph.num_nodes();
    if (n > kCapacity) return false;
    Node bits = 0;
    heads_ = 0;
    for (Node v = 0; v < n; ++v) {
      const Node weight = weighted.weight(v);
      if (weight > kCapacity - bits) return false;
      twins_[idx(v)] = first_bits(weight) << bits;
      heads_ |= Word{1} << bits;
      bits += weight;
    }
    all_ = first_bits(bits);
    for (Node v = 0; v < n; ++v) {
      Word row = 0;
      for (const Node u : graph[v]) row |= twins_[idx(u)];
      const Word twins = twins_[idx(v)];
      closed_row_[idx(v)] = row | twins;
      later_row_[idx(v)] = row & ~(twins | (twins - 1));
    }
    return true;
  }

  // All vertices, and one vertex, as sets.
  Word all() const { return all_; }
  Word twins(Node v) const { return twins_[idx(v)]; }

  // Returns an upper bound on the weight of a clique: the largest weight w such that the vertices whose closed
  // neighbourhoods weigh at least w have at least w nodes.
  Node bound() const {
    std::array<Node, kCapacity + 1> nodes_of_weight{};
    for_each_vertex(
        all_, [&](std::size_t v) { nodes_of_weight[idx(std::popcount(closed_row_[v]))] += std::popcount(twins_[v]); });
    Node nodes = 0;
    for (Node weight = kCapacity; weight > 0; --weight) {
      nodes += nodes_of_weight[idx(weight)];
      if (nodes >= weight) return weight;
    }
    return 0;
  }

  // Returns the vertices of `among` that are left after repeatedly dropping those whose closed neighbourhoods weigh
  // less than `weight`.
  Word peel(Word among, Node weight) const {
    for (Word before = 0; before != among;) {
      before = among;
      for_each_vertex(before, [&](std::size_t v) {
        if (std::popcount(closed_row_[v] & among) < weight) among &= ~twins_[v];
      });
    }
    return among;
  }

  // Appends all cliques of exactly this weight in `among` to `cliques`, in canonical order. Requires that none there
  // weighs more. Every vertex tried costs one unit of `effort`. Returns false, with an incomplete list, once it is
  // below 0.
  bool list_cliques(Word among, Node weight, Ragged& cliques, std::int64_t& effort) {
    WordCliqueSearch search(vertices(), effort);
    search.list(among, weight, cliques);
    effort = search.effort();
    return effort >= 0;
  }

 private:
  static Word first_bits(Node count) { return count == kWordBits ? ~Word{0} : (Word{1} << count) - 1; }

  WordVertices vertices() const { return {heads_, twins_.data(), later_row_.data(), vertex_.data()}; }

  template <typename Visit>
  void for_each_vertex(Word set, Visit&& visit) const {
    const WordVertices vertices = this->vertices();
    for (Word bits = set & heads_; bits != 0; bits &= bits - 1) visit(vertices.slot(bits));
  }

  Word all_ = 0;
  Word heads_ = 0;
  std::array<Word, kCapacity> twins_;
  std::array<Word, kCapacity> closed_row_;  // bits of each vertex and all its neighbours
  std::array<Word, kCapacity> later_row_;   // bits of its later neighbours
  std::array<Node, kCapacity> vertex_;      // the identity
};

}  // namespace cliquepool
