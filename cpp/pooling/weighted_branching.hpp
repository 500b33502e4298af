// How a clique search branches on vertices of different weights: by weighted colour bounds.
#pragma once

#include "pooling/search_state.hpp"

namespace cliquepool {

struct WeightedBranching {
  static Node weight(const BitGraph& graph, Node v) { return graph.weight[idx(v)]; }

  // As UnitBranching::choose_branches.
  template <int kWords, typename Found>
  static bool choose_branches(Width<kWords> width, SearchState& state, Found&& found) {
    const Word* const among = state.stack.candidates();
    const Node need = state.stack.need();
    if (need == 0) {
      assert(width.empty(among));
      state.report(found);
      return false;
    }
    state.effort.spend(width.count(among) * width.words());
    Node total = 0;
    width.for_each(among, [&](Node v) { total += weight(*state.graph, v); });
    if (total < need) {
      state.raise_bound(state.chosen_weight() + total);
      return false;
    }
    // The coloured vertices hold no clique of weight `need`: every such clique has an uncoloured one.
    Word* const uncoloured = state.stack.branches();
    width.copy(uncoloured, among);
    const Node bound = state.colouring.colour_weights(width, *state.graph, uncoloured, need);
    state.raise_bound(state.chosen_weight() + bound);
    return !width.empty(uncoloured);
  }
};

}  // namespace cliquepool
