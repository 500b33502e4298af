// The loop of a clique search: depth-first over an explicit stack, with a branching rule.
#pragma once

#include <algorithm>
#include <optional>

#include "pooling/search_state.hpp"

namespace cliquepool {

enum class SearchGoal {
  all_cliques,  // report all cliques of the target weight
  one_clique,   // decide whether there is one: stop at the first, or when the effort is spent
  root_only,    // report all, but give up if the root has to branch
};

namespace depth_first {

template <int kWords, typename Branching, typename Found>
std::optional<Node> search(Width<kWords> width, SearchState& state, const Word* candidates, SearchGoal goal,
                           Found&& found) {
  SearchStack& stack = state.stack;
  const Node target = state.target;
  state.found_any = false;
  state.matching.reset();
  stack.begin(width, candidates, target);
  if (!Branching::choose_branches(width, state, found)) {
    stack.pop();
  } else if (goal == SearchGoal::root_only) {
    return std::nullopt;
  }
  while (!stack.empty()) {
    if (goal == SearchGoal::one_clique && (state.found_any || state.effort.spent())) return target;
    const Node v = width.first(stack.branches());
    if (v < 0) {
      const bool again = stack.revisit();
      stack.set_revisit(false);
      if (!again || !Branching::choose_branches(width, state, found)) stack.pop();
      continue;
    }
    state.effort.spend(width.words());
    stack.push(width, v, state.graph->row(v), Branching::weight(*state.graph, v));
    if (!Branching::choose_branches(width, state, found)) stack.pop();
  }
  return state.found_any ? target : std::min(state.bound, target - 1);
}

}  // namespace depth_first

// Searches the set `candidates` of `graph` for cliques of weight state.target, and calls found(members) for each.
// Returns the target if there is one, else an upper bound below it on the weight of any clique. If the effort was spent
// first, the answer is the target too. Returns nothing if the goal is `root_only` and the root has to branch.
// Raises state.bound from the value it has, so that bounds of several searches are combined.
template <typename Branching, typename Found>
std::optional<Node> search_depth_first(SearchState& state, const BitGraph& graph, const Word* candidates,
                                       SearchGoal goal, Found&& found) {
  state.graph = &graph;
  switch (graph.words) {
    case 1:
      return depth_first::search<1, Branching>(Width<1>(1), state, candidates, goal, found);
    case 2:
      return depth_first::search<2, Branching>(Width<2>(2), state, candidates, goal, found);
    case 4:
      return depth_first::search<4, Branching>(Width<4>(4), state, candidates, goal, found);
    default:
      return depth_first::search<0, Branching>(Width<0>(graph.words), state, candidates, goal, found);
  }
}

}  // namespace cliquepool
