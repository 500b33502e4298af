// One step of a branching rule at the root of a search, and what must hold after it.
#pragma once

#include "pooling/search_state.hpp"
#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"

namespace naive {

// Let choose(width, state, found) decide on the root of `adjacent`, whose heaviest cliques weigh at most `target`.
// Every clique of that weight must be reported or still reachable: it has all vertices chosen, its others are
// candidates, and one of them is a branch, unless the depth is to be visited again. Return whether there are branches.
template <typename Choose>
bool check_branching_step(SearchState& state, const Matrix& adjacent, const Nodes& weights, Node target,
                          Choose&& choose) {
  const Node n = size_of(adjacent);
  const BitGraph graph = bit_graph(adjacent, weights);
  state.graph = &graph;
  state.target = target;
  state.bound = 0;
  state.found_any = false;
  state.matching.reset();
  Budget budget;
  Pace pace(budget);
  state.effort.begin(std::int64_t{1} << 40, pace);
  Lists reported;
  bool branches = false;
  with_width(graph, [&](auto width) {
    state.stack.begin(width, set_of(all_nodes(n), graph.words).data(), target);
    branches = choose(width, state, [&](std::span<const Node> members) { reported.push_back(nodes_of(members)); });
  });
  reported = canonical(reported, weights);

  const Lists heaviest = heaviest_cliques(adjacent, weights);
  const Node max_weight = heaviest.empty() ? 0 : weight_of(heaviest.front(), weights);
  const Lists expected = max_weight == target ? heaviest : Lists{};
  CHECK(state.found_any == !reported.empty());
  if (!branches) {
    CHECK(reported == expected);
    if (expected.empty()) CHECK(state.bound >= max_weight);
    return false;
  }
  CHECK(reported.empty());
  const Nodes chosen = nodes_of(state.stack.chosen().span());
  const Nodes candidates = members_of(state.stack.candidates(), graph.words);
  const Nodes tried = members_of(state.stack.branches(), graph.words);
  CHECK(!tried.empty());
  CHECK(state.stack.need() == target - weight_of(chosen, weights));
  for (const Node v : tried) CHECK(contains(candidates, v));
  for (const Nodes& clique : expected) {
    for (const Node v : chosen) CHECK(contains(clique, v));
    for (const Node v : clique) CHECK(contains(chosen, v) || contains(candidates, v));
    CHECK(state.stack.revisit() ||
          std::any_of(clique.begin(), clique.end(), [&](Node v) { return contains(tried, v); }));
  }
  return true;
}

}  // namespace naive
