// Upper bounds by colouring: a clique has at most one vertex of each colour class, which is an independent set.
#pragma once

#include <algorithm>

#include "pooling/bit_graph.hpp"
#include "pooling/effort.hpp"

namespace cliquepool {

// Colours vertex sets of a bit graph. Keeps its memory between uses.
class Colouring {
 public:
  // The members of a colour class, once `colour_greedily` has run.
  Word* members(Node colour) { return classes_.data() + idx(colour) * idx(words_); }

  // Moves vertices from `uncoloured` to at most `max_colours` classes, first fit. Returns the number of classes. There
  // is space for one class more than that; sets of one word always have space for 65.
  template <int kWords>
  Node colour_greedily(Width<kWords> width, const BitGraph& graph, Word* uncoloured, Node max_colours) {
    words_ = graph.words;
    if constexpr (kWords == 1) return colour_word_greedily(graph, *uncoloured, max_colours);
    for (Node colour = 0; colour < max_colours; ++colour) {
      if (width.empty(uncoloured)) return colour;
      if (classes_.size() < (idx(colour) + 2) * idx(words_)) classes_.resize((idx(colour) + 2) * idx(words_));
      Word* const chosen = members(colour);
      width.clear(chosen);
      for_each_independent(width, graph, uncoloured, [&](Node v) { set_bit(chosen, v); });
      width.subtract(uncoloured, chosen);
    }
    return max_colours;
  }

  // Re-colouring (Tomita et al. 2010): moves a vertex from `uncoloured` to a class where it has no neighbour, or a
  // single one that can move to another class.
  template <int kWords>
  void recolour(Width<kWords> width, const BitGraph& graph, Word* uncoloured, Node colours, Effort& effort) {
    width.for_each(uncoloured, [&](Node v) {
      effort.spend(std::int64_t{colours} * width.words());
      for (Node colour = 0; colour < colours; ++colour) {
        Word* into = members(colour);
        Node conflict = -1;
        Node conflicts = 0;
        for (int w = 0; w < width.words() && conflicts < 2; ++w) {
          const Word common = into[w] & graph.row(v)[w];
          if (common == 0) continue;
          conflicts += std::popcount(common);
          conflict = w * kWordBits + std::countr_zero(common);
        }
        if (conflicts > 1) continue;
        if (conflicts == 1) {
          Node other = 0;
          while (other < colours && (other == colour || !width.disjoint(members(other), graph.row(conflict)))) ++other;
          if (other == colours) continue;
          clear_bit(into, conflict);
          set_bit(members(other), conflict);
        }
        set_bit(into, v);
        clear_bit(uncoloured, v);
        return;
      }
    });
  }

  // Weighted colouring: repeatedly chooses an independent set of `uncoloured`, subtracts the least remaining weight in
  // it from all its vertices, and removes those with no weight left. The sum of the subtracted weights is an upper
  // bound on the weight of a clique among the removed vertices. Stops before the sum reaches `limit`, which may be
  // larger than any weight, and returns the sum.
  template <int kWords>
  Node colour_weights(Width<kWords> width, const BitGraph& graph, Word* uncoloured, std::int64_t limit) {
    if (remaining_.size() < idx(graph.size)) remaining_.resize(idx(graph.size));
    width.for_each(uncoloured, [&](Node v) { remaining_[idx(v)] = graph.weight[idx(v)]; });
    Node bound = 0;
    while (!width.empty(uncoloured)) {
      independent_.clear();
      Node least = kMaxNodes;
      for_each_independent(width, graph, uncoloured, [&](Node v) {
        independent_.push_back(v);
        least = std::min(least, remaining_[idx(v)]);
      });
      if (std::int64_t{bound} + least >= limit) break;
      bound += least;
      for (const Node v : independent_.span()) {
        remaining_[idx(v)] -= least;
        if (remaining_[idx(v)] == 0) clear_bit(uncoloured, v);
      }
    }
    return bound;
  }

 private:
  // Calls visit(v) for the vertices of an independent set of `among` that is chosen first fit.
  template <int kWords, typename Visit>
  void for_each_independent(Width<kWords> width, const BitGraph& graph, const Word* among, Visit&& visit) {
    if (addable_.size() < idx(graph.words)) addable_.resize(idx(graph.words));
    Word* const addable = addable_.data();
    width.copy(addable, among);
    for (int w = 0; w < width.words(); ++w) {
      while (addable[w] != 0) {
        const Node v = w * kWordBits + std::countr_zero(addable[w]);
        addable[w] &= addable[w] - 1;
        visit(v);
        const Word* const neighbours = graph.row(v);
        for (int i = w; i < width.words(); ++i) addable[i] &= ~neighbours[i];
      }
    }
  }

  // The same as colour_greedily for sets of one word, which stay in registers.
  Node colour_word_greedily(const BitGraph& graph, Word& uncoloured, Node max_colours) {
    if (classes_.size() <= kWordBits) classes_.resize(kWordBits + 1);
    const Word* const rows = graph.rows.data();
    Word* const classes = classes_.data();
    Word rest = uncoloured;
    Node colour = 0;
    for (; colour < max_colours && rest != 0; ++colour) {
      Word chosen = 0;
      for (Word addable = rest; addable != 0;) {
        const int v = std::countr_zero(addable);
        chosen |= addable & -addable;
        addable &= (addable - 1) & ~rows[v];
      }
      classes[colour] = chosen;
      rest &= ~chosen;
    }
    uncoloured = rest;
    return colour;
  }

  int words_ = 0;
  Buffer<Word> classes_;
  Buffer<Word> addable_;      // vertices with no neighbour in the current class
  Buffer<Node> remaining_;    // weight of each vertex not yet covered by classes
  Buffer<Node> independent_;  // the current class of a weighted colouring
};

}  // namespace cliquepool
