// Bounds by colouring: a clique has at most one vertex of each independent set.
#pragma once

#include <algorithm>

#include "pooling/bit_graph.hpp"

namespace cliquepool {

// Colour classes over a bit graph. Keeps its memory between uses.
class Colouring {
 public:
  Word* of(Node colour) { return classes_.data() + idx(colour) * idx(words_); }

  // Moves vertices from `over` into up to `colours` independent sets, first fit. Returns how many were opened.
  template <int kWords>
  Node greedily(Width<kWords> width, const BitGraph& graph, Word* over, Node colours) {
    words_ = graph.words;
    if constexpr (kWords == 1) return greedily_in_word(graph, *over, colours);
    if (open_.size() < idx(words_)) open_.resize(idx(words_));
    for (Node c = 0; c < colours; ++c) {
      if (width.empty(over)) return c;
      if (classes_.size() < (idx(c) + 2) * idx(words_)) classes_.resize((idx(c) + 2) * idx(words_));
      Word* open = open_.data();
      Word* members = of(c);
      width.copy(open, over);
      width.clear(members);
      for (int w = 0; w < width.words(); ++w) {
        while (open[w] != 0) {
          const Node v = w * kWordBits + std::countr_zero(open[w]);
          open[w] &= open[w] - 1;
          set_bit(members, v);
          const Word* neighbours = graph.row(v);
          for (int i = w; i < width.words(); ++i) open[i] &= ~neighbours[i];
        }
      }
      width.subtract(over, members);
    }
    return colours;
  }

  // A vertex left over with one neighbour u in some class takes u's place when u fits another class.
  template <int kWords>
  void recolour(Width<kWords> width, const BitGraph& graph, Word* over, Node colours, Effort& effort) {
    width.for_each(over, [&](Node v) {
      effort.spend(std::int64_t{colours} * width.words());
      for (Node c = 0; c < colours; ++c) {
        Word* members = of(c);
        Node conflict = -1;
        Node conflicts = 0;
        for (int w = 0; w < width.words() && conflicts < 2; ++w) {
          const Word common = members[w] & graph.row(v)[w];
          if (common == 0) continue;
          conflicts += std::popcount(common);
          conflict = w * kWordBits + std::countr_zero(common);
        }
        if (conflicts > 1) continue;
        if (conflicts == 1) {
          Node other = 0;
          while (other < colours && (other == c || !width.disjoint(of(other), graph.row(conflict)))) ++other;
          if (other == colours) continue;
          clear_bit(members, conflict);
          set_bit(of(other), conflict);
        }
        set_bit(members, v);
        clear_bit(over, v);
        return;
      }
    });
  }

  // Weighted colouring: takes independent sets off `over`, each worth the least weight left in it, which all its
  // vertices lose; those with nothing left are done. Stops before the sum reaches `need`, which may lie beyond all
  // weights. Returns the sum.
  template <int kWords>
  Node split_weights(Width<kWords> width, const BitGraph& graph, Word* over, std::int64_t need) {
    if (left_.size() < idx(graph.size)) left_.resize(idx(graph.size));
    if (open_.size() < idx(graph.words)) open_.resize(idx(graph.words));
    width.for_each(over, [&](Node v) { left_[idx(v)] = graph.weight[idx(v)]; });
    Word* open = open_.data();
    Node bound = 0;
    while (!width.empty(over)) {
      independent_.clear();
      width.copy(open, over);
      Node least = kMaxNodes;
      for (int w = 0; w < width.words(); ++w) {
        while (open[w] != 0) {
          const Node v = w * kWordBits + std::countr_zero(open[w]);
          open[w] &= open[w] - 1;
          independent_.push_back(v);
          least = std::min(least, left_[idx(v)]);
          const Word* neighbours = graph.row(v);
          for (int i = w; i < width.words(); ++i) open[i] &= ~neighbours[i];
        }
      }
      if (std::int64_t{bound} + least >= need) break;
      bound += least;
      for (const Node v : independent_.span()) {
        left_[idx(v)] -= least;
        if (left_[idx(v)] == 0) clear_bit(over, v);
      }
    }
    return bound;
  }

 private:
  // The same with sets that stay in registers.
  Node greedily_in_word(const BitGraph& graph, Word& over, Node colours) {
    if (classes_.size() <= kWordBits) classes_.resize(kWordBits + 1);
    const Word* const rows = graph.rows.data();
    Word* const classes = classes_.data();
    Word rest = over;
    Node c = 0;
    for (; c < colours && rest != 0; ++c) {
      Word members = 0;
      for (Word open = rest; open != 0;) {
        const int v = std::countr_zero(open);
        members |= open & -open;
        open &= (open - 1) & ~rows[v];
      }
      classes[c] = members;
      rest &= ~members;
    }
    over = rest;
    return c;
  }

  int words_ = 0;
  Buffer<Word> classes_;
  Buffer<Word> open_;         // not yet in the class at hand, nor joined to it
  Buffer<Node> left_;         // weight not yet covered
  Buffer<Node> independent_;  // the class at hand
};

}  // namespace cliquepool
