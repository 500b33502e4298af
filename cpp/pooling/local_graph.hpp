// The graph of one local search: filled vertex by vertex or restored from saved rows; vertices can be removed.
#pragma once

#include <algorithm>

#include "pooling/bit_graph.hpp"
#include "pooling/effort.hpp"

namespace cliquepool {

// Vertices are numbered from 1. Bit 0 of a row means "not in this graph": callers map every vertex outside to 0, so
// that a row is filled from a list of neighbours without a test for each entry.
class LocalGraph : public BitGraph {
 public:
  // Starts a graph without edges on the vertices 1 to `num_vertices`.
  void reset(Node num_vertices) {
    BitGraph::reset(num_vertices + 1);
    assign_first(live_, words, size);
    live_[0] &= ~Word{1};
    order_.clear();
    unit_weights_ = true;
  }

  // Adds the edges of `v` to vertices added before it. `for_each_neighbour` calls its argument with each of them; zeros
  // are ignored.
  template <typename ForEachNeighbour>
  void add(Node v, Node vertex_weight, ForEachNeighbour&& for_each_neighbour) {
    weight[idx(v)] = vertex_weight;
    unit_weights_ = unit_weights_ && vertex_weight == 1;
    Word* const neighbours = row(v);
    if (words == 1) {
      Word bits = 0;
      for_each_neighbour([&](Node u) { bits |= Word{1} << u; });
      neighbours[0] = bits;
    } else {
      for_each_neighbour([&](Node u) { set_bit(neighbours, u); });
    }
    neighbours[0] &= ~Word{1};
    for (int w = 0; w <= v / kWordBits; ++w)
      for (Word bits = neighbours[w]; bits != 0; bits &= bits - 1)
        set_bit(row(w * kWordBits + std::countr_zero(bits)), v);
  }

  // Copies a graph whose rows are one word each. `saved` starts with the row of vertex 1; `live` has the vertices that
  // take part, and `weight_of(v)` returns their weights.
  template <typename WeightOf>
  void restore(std::span<const Word> saved, Word live, WeightOf&& weight_of) {
    assert(saved.size() < kWordBits);
    size = static_cast<Node>(saved.size()) + 1;
    words = 1;
    rows.resize(idx(size));
    std::copy(saved.begin(), saved.end(), rows.begin() + 1);
    rows[0] = 0;
    weight.resize(idx(size));
    live_.assign(1, live);
    order_.clear();
    unit_weights_ = true;
    for (Word bits = live; bits != 0; bits &= bits - 1) {
      const Node v = std::countr_zero(bits);
      weight[idx(v)] = weight_of(v);
      unit_weights_ = unit_weights_ && weight[idx(v)] == 1;
    }
  }

  // Excludes a vertex from all searches that follow. Rows keep its bit.
  void remove(Node v) { clear_bit(live_.data(), v); }

  // The set of vertices that were not removed.
  const Word* live() const { return live_.data(); }
  bool unit_weights() const { return unit_weights_; }

  // Returns the vertices in a degeneracy order: each has the fewest neighbours among those before it and itself.
  // Vertices removed after the first call are still in it.
  std::span<const Node> degeneracy_order(Effort& effort) {
    if (!order_.empty()) return order_.span();
    const Width<0> width(words);
    unordered_.clear();
    unordered_.append(live_.span());
    Word* const rest = unordered_.data();
    degree_.resize(idx(size));
    width.for_each(rest, [&](Node v) {
      order_.push_back(v);
      degree_[idx(v)] = width.count_common(row(v), rest);
    });
    for (std::size_t end = order_.size(); end > 1; --end) {
      std::size_t lowest = 0;
      for (std::size_t i = 1; i < end; ++i)
        if (degree_[idx(order_[i])] <= degree_[idx(order_[lowest])]) lowest = i;
      const Node v = order_[lowest];
      std::copy(order_.begin() + lowest + 1, order_.begin() + end, order_.begin() + lowest);
      order_[end - 1] = v;
      clear_bit(rest, v);
      for (int w = 0; w < width.words(); ++w)
        for (Word bits = row(v)[w] & rest[w]; bits != 0; bits &= bits - 1)
          --degree_[idx(w * kWordBits + std::countr_zero(bits))];
      effort.spend(static_cast<std::int64_t>(end) / 8);
    }
    return order_.span();
  }

 private:
  Buffer<Word> live_;
  bool unit_weights_ = true;  // all weights are 1
  Buffer<Node> order_;        // empty until the degeneracy order is computed
  Buffer<Word> unordered_;    // vertices without a position in that order
  Buffer<Node> degree_;       // neighbours in `unordered_`
};

}  // namespace cliquepool
