// Peeling: repeatedly drop vertices that have too few neighbours to be in a clique of a given weight.
#pragma once

#include <algorithm>

#include "pooling/local_graph.hpp"

namespace cliquepool {

struct Peeled {
  Node count = 0;   // of the vertices left
  Node weight = 0;  // of the vertices left
  // An upper bound on the weight of cliques with a dropped vertex. (The first of its vertices to be dropped bounds a
  // clique: all others were still there.)
  Node dropped_bound = 0;
};

namespace peeling {

template <int kWords, bool kUnitWeights>
Peeled peel_sets(const LocalGraph& graph, Node target, Word* left) {
  const Width<kWords> width(graph.words);
  width.copy(left, graph.live());
  Peeled peeled{.count = width.count(left)};
  for (bool dropped = true; dropped;) {
    dropped = false;
    width.for_each(left, [&](Node v) {
      Node weight;  // of v and its neighbours
      if constexpr (kUnitWeights) {
        weight = 1 + width.count_common(graph.row(v), left);
      } else {
        weight = graph.weight[idx(v)];
        for (int w = 0; w < width.words(); ++w)
          for (Word bits = graph.row(v)[w] & left[w]; bits != 0; bits &= bits - 1)
            weight += graph.weight[idx(w * kWordBits + std::countr_zero(bits))];
      }
      if (weight >= target) return;
      clear_bit(left, v);
      --peeled.count;
      dropped = true;
      peeled.dropped_bound = std::max(peeled.dropped_bound, weight);
    });
  }
  if constexpr (kUnitWeights) {
    peeled.weight = peeled.count;
  } else {
    width.for_each(left, [&](Node v) { peeled.weight += graph.weight[idx(v)]; });
  }
  return peeled;
}

// The same for sets of one word: they stay in registers, and no vertex costs a branch.
inline Peeled peel_word(const LocalGraph& graph, Node target, Word* left) {
  const Word* const rows = graph.rows.data();
  Word all = *graph.live();
  Node bound = 0;
  for (Word kept = all;; all = kept) {
    kept = 0;
    for (Word bits = all; bits != 0; bits &= bits - 1) {
      const int v = std::countr_zero(bits);
      const Node weight = 1 + std::popcount(rows[v] & all);
      const Node keep = weight >= target;
      kept |= static_cast<Word>(keep) << v;
      bound = std::max(bound, weight & (keep - 1));
    }
    if (kept == all) break;
  }
  *left = all;
  const Node count = std::popcount(all);
  return {count, count, bound};
}

}  // namespace peeling

// Writes the live vertices of `graph` that peeling for cliques of weight `target` leaves to the set `left`.
inline Peeled peel(const LocalGraph& graph, Node target, Word* left) {
  if (graph.words == 1)
    return graph.unit_weights() ? peeling::peel_word(graph, target, left)
                                : peeling::peel_sets<1, false>(graph, target, left);
  return graph.unit_weights() ? peeling::peel_sets<0, true>(graph, target, left)
                              : peeling::peel_sets<0, false>(graph, target, left);
}

}  // namespace cliquepool
