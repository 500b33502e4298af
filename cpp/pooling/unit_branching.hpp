// How a clique search branches when all weights are 1: by colour bounds.
#pragma once

#include "pooling/last_vertices.hpp"
#include "pooling/nearly_complete_branching.hpp"
#include "pooling/search_state.hpp"

namespace cliquepool {

struct UnitBranching {
  static Node weight(const BitGraph&, Node) { return 1; }

  // Decides on the top depth. Either writes the candidates that have to be tried to its branches and returns true, or
  // reports all cliques of the target weight there, perhaps none, and returns false.
  template <int kWords, typename Found>
  static bool choose_branches(Width<kWords> width, SearchState& state, Found&& found) {
    SearchStack& stack = state.stack;
    const Word* const among = stack.candidates();
    const Node need = stack.need();
    const Node count = width.count(among);
    state.effort.spend(count * width.words());
    if (count < need) {
      state.raise_bound(state.chosen_weight() + count);
      return false;
    }
    if (need <= kMaxLastVertices) {
      choose_last_vertices(width, state, need, found);
      state.raise_bound(state.target - 1);
      return false;
    }
    if (NearlyCompleteBranching::applies(width, state, count))
      return NearlyCompleteBranching::choose_branches(width, state, count, found);

    // need - 1 colour classes hold no clique of `need` vertices: every such clique has an uncoloured vertex.
    Word* const uncoloured = stack.branches();
    width.copy(uncoloured, among);
    const Node colours = state.colouring.colour_greedily(width, *state.graph, uncoloured, need - 1);
    if (width.empty(uncoloured)) {
      state.raise_bound(state.chosen_weight() + colours);
      return false;
    }
    state.raise_bound(state.target - 1);
    state.colouring.recolour(width, *state.graph, uncoloured, need - 1, state.effort);
    if (width.empty(uncoloured)) return false;
    if (is_independent(width, *state.graph, uncoloured)) return branch_on_one_class(width, state, found);
    return true;
  }

 private:
  static constexpr Node kNone = -1;

  template <int kWords>
  static bool is_independent(Width<kWords> width, const BitGraph& graph, const Word* set) {
    for (int w = 0; w < width.words(); ++w)
      for (Word bits = set[w]; bits != 0; bits &= bits - 1)
        if (!width.disjoint(graph.row(w * kWordBits + std::countr_zero(bits)), set)) return false;
    return true;
  }

  // Takes the uncoloured vertices, which are independent, as one more class. Then there are as many classes as vertices
  // missing, and a clique has one vertex of each class: branches on the smallest.
  template <int kWords, typename Found>
  static bool branch_on_one_class(Width<kWords> width, SearchState& state, Found&& found) {
    SearchStack& stack = state.stack;
    width.copy(state.colouring.members(stack.need() - 1), stack.branches());
    const Node smallest = choose_forced(width, state);
    if (smallest == kNone) return false;
    if (stack.need() <= kMaxLastVertices) {
      choose_last_vertices(width, state, stack.need(), found);
      return false;
    }
    width.intersect(stack.branches(), state.colouring.members(smallest), stack.candidates());
    return true;
  }

  // Chooses the candidate of each class that has only one, until all classes have several. Returns the smallest class,
  // or kNone if a class has no candidate left.
  template <int kWords>
  static Node choose_forced(Width<kWords> width, SearchState& state) {
    Colouring& colouring = state.colouring;
    Word* const among = state.stack.candidates();
    Node open_classes = state.stack.need();  // as many as vertices missing, throughout
    Node smallest = 0;
    for (bool forced = true; forced;) {
      forced = false;
      int fewest = state.graph->size + 1;
      for (Node colour = 0; colour < open_classes;) {
        const int left = width.count_common(colouring.members(colour), among);
        if (left == 0) return kNone;
        if (left == 1) {
          Word* const members = colouring.members(colour);
          width.intersect(members, members, among);
          const Node v = width.first(members);
          state.stack.chosen().push_back(v);
          width.intersect(among, among, state.graph->row(v));
          --open_classes;
          if (colour != open_classes) width.copy(members, colouring.members(open_classes));
          forced = true;
          continue;
        }
        if (left < fewest) {
          fewest = left;
          smallest = colour;
        }
        ++colour;
      }
    }
    state.stack.set_need(open_classes);
    return smallest;
  }
};

}  // namespace cliquepool
