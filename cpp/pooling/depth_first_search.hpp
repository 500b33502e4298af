// The loop of a clique search: depth-first over an explicit stack, with a branching rule.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "pooling/search_state.hpp"

namespace cliquepool {

enum class SearchGoal {
  all_cliques,  // report all cliques of the target weight
  one_clique,   // decide whether there is one: stop at the first, or when the effort is spent
  root_only,    // report all, but give up if the root has to branch
};

// The effort after which a search for all cliques looks whether another thread wants a branch of it: many times that of
// handing one over.
inline constexpr std::int64_t kEffortBetweenOffers = 1 << 16;

namespace depth_first {

template <typename Branching, int kWords>
void offer_branch(Width<kWords> width, SearchState& state) {
  state.effort.renew(kEffortBetweenOffers);
  if (state.exchange == nullptr || !state.exchange->wanted()) return;
  OfferedBranch branch{.search = state.shared, .start = {}};
  const auto weight_of = [&](Node v) { return Branching::weight(*state.graph, v); };
  if (state.stack.take_lowest_branch(width, *state.graph, weight_of, branch.start))
    state.exchange->offer(std::move(branch));
}

// Searches from the top of the stack, on which the caller has begun.
template <int kWords, typename Branching, typename Found>
std::optional<Node> search(Width<kWords> width, SearchState& state, SearchGoal goal, Found&& found) {
  SearchStack& stack = state.stack;
  const Node target = state.target;
  state.found_any = false;
  state.matching.reset();
  if (!Branching::choose_branches(width, state, found)) {
    stack.pop();
  } else if (goal == SearchGoal::root_only) {
    return std::nullopt;
  }
  while (!stack.empty()) {
    if (goal == SearchGoal::one_clique && (state.found_any || state.effort.spent())) return target;
    if (goal == SearchGoal::all_cliques && state.effort.spent()) offer_branch<Branching>(width, state);
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
  return with_width(graph, [&]<int kWords>(Width<kWords> width) {
    state.stack.begin(width, candidates, state.target);
    return depth_first::search<kWords, Branching>(width, state, goal, found);
  });
}

// Searches one branch of such a search for all cliques, with what was chosen before.
template <typename Branching, typename Found>
void search_branch(SearchState& state, const BitGraph& graph, const SearchBranch& branch, Found&& found) {
  state.graph = &graph;
  with_width(graph, [&]<int kWords>(Width<kWords> width) {
    state.stack.begin(width, branch.candidates.data(), branch.need, branch.chosen.span());
    depth_first::search<kWords, Branching>(width, state, SearchGoal::all_cliques, found);
  });
}

}  // namespace cliquepool
