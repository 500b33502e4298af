#include "pooling/nearly_complete_branching.hpp"

#include "tests/pooling/branching_step.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

bool step(SearchState& state, const Matrix& adjacent, Node target) {
  return check_branching_step(state, adjacent, ones(size_of(adjacent)), target,
                              [&](auto width, SearchState& root, auto&& found) {
                                return NearlyCompleteBranching::choose_branches(width, root, size_of(adjacent), found);
                              });
}
bool applies(SearchState& state, const Matrix& adjacent, Node target) {
  const BitGraph graph = bit_graph(adjacent, ones(size_of(adjacent)));
  Budget budget;
  Pace pace(budget);
  state.effort.begin(std::int64_t{1} << 40, pace);
  state.graph = &graph;
  bool result = false;
  with_width(graph, [&](auto width) {
    state.stack.begin(width, set_of(all_nodes(graph.size), graph.words).data(), target);
    result = NearlyCompleteBranching::applies(width, state, graph.size);
  });
  return result;
}

}  // namespace

TEST(nearly_complete_branching_loses_no_clique) {
  Random random(1);
  SearchState state;
  for (int i = 0; i < 300; ++i) {
    Matrix adjacent = random_matrix(random_between(1, 14, random), random_density(0.5, 0.99, random), random);
    if (i % 20 == 0) adjacent = combine({adjacent, complete(60 + i)}, true);
    const Node n = size_of(adjacent);
    const Node max_weight = max_clique_weight(adjacent, ones(n));
    for (Node above = 0; above < 3 && max_weight + above <= n; ++above) step(state, adjacent, max_weight + above);
  }
}

TEST(nearly_complete_branching_chooses_vertices_joined_to_all_at_once) {
  SearchState state;
  const Matrix adjacent = combine({complement_of_groups(4, 2), complete(70)}, true);
  CHECK(step(state, adjacent, 74));
  CHECK(state.stack.chosen().size() == 70);
  CHECK(state.stack.need() == 4);
  CHECK(state.stack.revisit());
  // Of four pairs that are not joined, a clique has at most four vertices.
  CHECK(!step(state, adjacent, 75));
  CHECK(state.bound == 74);
}

TEST(nearly_complete_branching_applies_where_most_of_many_candidates_are_needed_and_joined) {
  SearchState state;
  CHECK(applies(state, complete(64), 64));
  CHECK(applies(state, complete(64), 32));
  CHECK(!applies(state, complete(64), 31));
  CHECK(!applies(state, complete(66), 32));
  CHECK(!applies(state, complement_of_groups(10, 10), 90));
  CHECK(applies(state, complement_of_groups(50, 2), 50));
}
