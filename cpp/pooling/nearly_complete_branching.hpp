// How a clique search branches where nearly all candidates are adjacent, and most have to be chosen.
#pragma once

#include <algorithm>

#include "pooling/last_vertices.hpp"
#include "pooling/search_state.hpp"

namespace cliquepool {

// Chooses candidates adjacent to all others at once, bounds the rest by a matching of the complement, and branches on
// the vertex with most non-neighbours: first with it, then, when the depth is visited again, without.
struct NearlyCompleteBranching {
  // Returns whether this rule is better than UnitBranching for the `count` candidates of the top depth.
  template <int kWords>
  static bool applies(Width<kWords> width, SearchState& state, Node count) {
    const Node need = state.stack.need();
    return need >= kMinNeed && need >= count / 2 &&
           ComplementMatching::is_worthwhile(width, *state.graph, state.stack.candidates(), count, state.effort);
  }

  // As UnitBranching::choose_branches.
  template <int kWords, typename Found>
  static bool choose_branches(Width<kWords> width, SearchState& state, Node count, Found&& found) {
    SearchStack& stack = state.stack;
    Word* const among = stack.candidates();
    const std::size_t chosen_before = stack.chosen().size();
    const Node branch = choose_universal(width, state, count);
    for (std::size_t i = chosen_before; i < stack.chosen().size(); ++i) clear_bit(among, stack.chosen()[i]);
    const Node universal = static_cast<Node>(stack.chosen().size() - chosen_before);
    const Node need = stack.need() - universal;
    count -= universal;
    stack.set_need(need);
    if (need <= kMaxLastVertices) {
      choose_last_vertices(width, state, need, found);
      state.raise_bound(state.target - 1);
      return false;
    }
    const Node bound = count - (state.matching.size(width, *state.graph, among, state.effort) + 1) / 2;
    state.raise_bound(std::min(state.target - 1, state.chosen_weight() + bound));
    if (bound < need) return false;
    width.clear(stack.branches());
    set_bit(stack.branches(), branch);
    stack.set_revisit(true);
    return true;
  }

 private:
  static constexpr Node kMinNeed = 32;

  // Chooses every candidate that is adjacent to all others. Returns the one with most non-neighbours, or -1.
  template <int kWords>
  static Node choose_universal(Width<kWords> width, SearchState& state, Node count) {
    const Word* const among = state.stack.candidates();
    Node most = 0;
    Node branch = -1;
    state.effort.spend(std::int64_t{count} * width.words());
    width.for_each(among, [&](Node v) {
      const Node non_neighbours = count - 1 - width.count_common(state.graph->row(v), among);
      if (non_neighbours == 0) state.stack.chosen().push_back(v);
      if (non_neighbours > most) {
        most = non_neighbours;
        branch = v;
      }
    });
    return branch;
  }
};

}  // namespace cliquepool
