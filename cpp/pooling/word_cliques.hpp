// Cliques of a graph so small that every set of its nodes is one machine word.
#pragma once

#include <array>

#include "base/bitset.hpp"
#include "base/types.hpp"

namespace cliquepool {

// A weighted graph of at most 64 nodes all told: a vertex of weight w stands for w twins, as w bits in a row. The
// weight of a set of whole vertices is then the number of its bits, and cliques found in the order of their bits are
// found in canonical order.
class WordGraph {
 public:
  static constexpr Node kMostNodes = kWordBits;

  // False, with nothing to be asked for, when there are too many nodes.
  bool fill(GraphView graph, std::span<const Node> weights) {
    const Node n = graph.num_nodes();
    if (n > kMostNodes) return false;
    Node bits = 0;
    heads_ = 0;
    for (Node v = 0; v < n; ++v) {
      const Node weight = weights.empty() ? 1 : weights[idx(v)];
      if (weight > kMostNodes - bits) return false;
      weight_[idx(v)] = weight;
      vertex_at_[idx(bits)] = v;
      twins_[idx(v)] = first_bits(weight) << bits;
      heads_ |= Word{1} << bits;
      bits += weight;
    }
    all_ = first_bits(bits);
    for (Node v = 0; v < n; ++v) {
      Word row = 0;
      for (const Node u : graph[v]) row |= twins_[idx(u)];
      row_[idx(v)] = row;
    }
    return true;
  }

  Word all() const { return all_; }
  Word twins(Node v) const { return twins_[idx(v)]; }  // the bits of a vertex

  // What a clique may weigh: as much as there are nodes whose closed neighbourhoods weigh as much.
  Node bound() const {
    std::array<Node, kMostNodes + 1> nodes_of_weight{};
    for_each_vertex(all_, [&](Node v) { nodes_of_weight[idx(closed_weight(v, all_))] += weight_[idx(v)]; });
    Node nodes = 0;
    for (Node weight = kMostNodes; weight > 0; --weight) {
      nodes += nodes_of_weight[idx(weight)];
      if (nodes >= weight) return weight;
    }
    return 0;
  }

  // What is left of `among` when vertices too poor in neighbours for a clique of this weight are dropped, again and
  // again.
  Word peel(Word among, Node weight) const {
    for (Word before = 0; before != among;) {
      before = among;
      for_each_vertex(before, [&](Node v) {
        if (closed_weight(v, among) < weight) among &= ~twins_[idx(v)];
      });
    }
    return among;
  }

  // Appends all cliques of exactly this weight in `among` to `cliques`; none there may weigh more. Lists them by
  // trying, with no bound but what is left to choose from: quick where there is little, and where there is more, it
  // gives up and returns false once `effort` is spent.
  bool list_cliques(Word among, Node weight, Ragged& cliques, std::int64_t& effort) {
    effort_ = effort;
    depth_ = 0;
    extend(among, weight, cliques);
    effort = effort_;
    return effort_ >= 0;
  }

 private:
  static Word first_bits(Node count) { return count == kWordBits ? ~Word{0} : (Word{1} << count) - 1; }

  template <typename Visit>
  void for_each_vertex(Word set, Visit&& visit) const {
    for (Word bits = set & heads_; bits != 0; bits &= bits - 1) visit(vertex_at_[idx(std::countr_zero(bits))]);
  }
  Node closed_weight(Node v, Word among) const { return weight_[idx(v)] + std::popcount(row_[idx(v)] & among); }

  // `among` are the vertices joined to all chosen so far and later than them, `need` the weight still missing.
  void extend(Word among, Node need, Ragged& cliques) {
    for (Word bits = among & heads_; bits != 0; bits &= bits - 1) {
      const Word later = ~Word{0} << std::countr_zero(bits);
      if (std::popcount(among & later) < need || --effort_ < 0) return;
      const Node v = vertex_at_[idx(std::countr_zero(bits))];
      const Node missing = need - weight_[idx(v)];
      assert(missing >= 0);
      chosen_[idx(depth_)] = v;
      if (missing == 0) {
        cliques.append({chosen_.data(), idx(depth_) + 1});
        continue;
      }
      const Word next = among & row_[idx(v)] & later;
      if (std::popcount(next) < missing) continue;
      ++depth_;
      extend(next, missing, cliques);
      --depth_;
    }
  }

  Word all_ = 0;
  Word heads_ = 0;  // the first bit of each vertex
  std::array<Word, kMostNodes> twins_;
  std::array<Word, kMostNodes> row_;  // the neighbours of each vertex
  std::array<Node, kMostNodes> weight_;
  std::array<Node, kMostNodes> vertex_at_;  // by its first bit
  std::array<Node, kMostNodes> chosen_;
  Node depth_ = 0;
  std::int64_t effort_ = 0;
};

}  // namespace cliquepool
