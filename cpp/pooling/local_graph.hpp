// The small graph that a look builds: filled vertex by vertex, thinned, sorted, cut down.
#pragma once

#include <algorithm>

#include "pooling/bit_graph.hpp"

namespace cliquepool {

// Vertices count from 1. Bit 0 of a row stands for "not in this graph", so that a row can be filled from a list
// without asking, entry by entry, whether it belongs.
class LocalGraph : public BitGraph {
 public:
  static constexpr Node kCopy = -1;

  void reset(Node num_vertices) {
    BitGraph::reset(num_vertices + 1);
    live_.assign(idx(words), 0);
    for (int w = 0; w < size / kWordBits; ++w) live_[idx(w)] = ~Word{0};
    if (size % kWordBits != 0) live_[idx(size / kWordBits)] = (Word{1} << (size % kWordBits)) - 1;
    live_[0] &= ~Word{1};
    order_.clear();
    unit_ = true;
  }
  // Takes a vertex out of all searches to come.
  void remove(Node v) { clear_bit(live_.data(), v); }

  // Adds vertex `v`, joined to those of `places` that are not 0, all of which were added before.
  template <typename Places>
  void add(Node v, Node own_weight, Places&& places) {
    this->weight[idx(v)] = own_weight;
    unit_ = unit_ && own_weight == 1;
    Word* const neighbours = row(v);
    if (words == 1) {
      Word bits = 0;
      places([&](Node u) { bits |= Word{1} << u; });
      neighbours[0] = bits;
    } else {
      places([&](Node u) { set_bit(neighbours, u); });
    }
    neighbours[0] &= ~Word{1};
    for (int w = 0; w <= v / kWordBits; ++w)
      for (Word bits = neighbours[w]; bits != 0; bits &= bits - 1)
        set_bit(row(w * kWordBits + std::countr_zero(bits)), v);
  }

  // A graph of one word a vertex, all at once: its rows, from vertex 1 on, and those of its vertices that are there.
  template <typename Weight>
  void restore(std::span<const Word> from, Word live, Weight&& own_weight) {
    assert(from.size() < kWordBits);
    size = static_cast<Node>(from.size()) + 1;
    words = 1;
    rows.resize(idx(size));
    std::copy(from.begin(), from.end(), rows.begin() + 1);
    rows[0] = 0;
    weight.resize(idx(size));
    live_.assign(1, live);
    order_.clear();
    unit_ = true;
    for (Word bits = live; bits != 0; bits &= bits - 1) {
      const Node v = std::countr_zero(bits);
      weight[idx(v)] = own_weight(v);
      unit_ = unit_ && weight[idx(v)] == 1;
    }
  }

  // The vertices.
  const Word* live() const { return live_.data(); }
  // All weights are one.
  bool unit() const { return unit_; }

  // All vertices: from the last to the first, always the one with fewest neighbours among the rest.
  std::span<const Node> by_degeneracy(Effort& effort) {
    if (!order_.empty()) return order_.span();
    const Width<0> width(words);
    unsorted_.clear();
    unsorted_.append(live_.span());
    Word* rest = unsorted_.data();
    degree_.resize(idx(size));
    width.for_each(rest, [&](Node v) {
      order_.push_back(v);
      degree_[idx(v)] = width.count_common(row(v), rest);
    });
    for (std::size_t end = order_.size(); end > 1; --end) {
      std::size_t poorest = 0;
      for (std::size_t i = 1; i < end; ++i)
        if (degree_[idx(order_[i])] <= degree_[idx(order_[poorest])]) poorest = i;
      const Node v = order_[poorest];
      std::copy(order_.begin() + poorest + 1, order_.begin() + end, order_.begin() + poorest);
      order_[end - 1] = v;
      clear_bit(rest, v);
      for (int w = 0; w < width.words(); ++w)
        for (Word bits = row(v)[w] & rest[w]; bits != 0; bits &= bits - 1)
          --degree_[idx(w * kWordBits + std::countr_zero(bits))];
      effort.spend(static_cast<std::int64_t>(end) / 8);
    }
    return order_.span();
  }

  // The vertices in `kept` as a graph of their own, in that order; `as_twins`, each as many times as it weighs.
  // `origin` tells the vertex that each came from, or kCopy.
  void extract(std::span<const Node> kept, Node part_size, bool as_twins, BitGraph& part, Buffer<Node>& origin) {
    const Width<0> wide(words);
    const auto copies = [&](Node v) { return as_twins ? weight[idx(v)] : 1; };
    place_.assign(idx(size), kNowhere);
    origin.clear();
    for (const Node v : kept) {
      place_[idx(v)] = static_cast<Node>(origin.size());
      origin.push_back(v);
      for (Node copy = 1; copy < copies(v); ++copy) origin.push_back(kCopy);
    }
    part.reset(part_size);
    for (const Node v : kept) {
      const Node first = place_[idx(v)];
      Word* to = part.row(first);
      wide.for_each(row(v), [&](Node u) {
        if (place_[idx(u)] == kNowhere) return;
        for (Node copy = 0; copy < copies(u); ++copy) set_bit(to, place_[idx(u)] + copy);
      });
      part.weight[idx(first)] = as_twins ? 1 : weight[idx(v)];
      if (copies(v) == 1) continue;
      const Width<0> width(part.words);
      for (Node copy = 0; copy < copies(v); ++copy) set_bit(to, first + copy);
      for (Node copy = 1; copy < copies(v); ++copy) {
        width.copy(part.row(first + copy), to);
        clear_bit(part.row(first + copy), first + copy);
        part.weight[idx(first + copy)] = 1;
      }
      clear_bit(to, first);
    }
  }

 private:
  static constexpr Node kNowhere = -1;

  Buffer<Word> live_;
  bool unit_ = true;
  Buffer<Node> order_;  // once sorted
  Buffer<Word> unsorted_;
  Buffer<Node> degree_;
  Buffer<Node> place_;
};

}  // namespace cliquepool
