#include "pooling/weighted_branching.hpp"

#include "tests/pooling/branching_step.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

bool step(SearchState& state, const Matrix& adjacent, const Nodes& weights, Node target) {
  return check_branching_step(state, adjacent, weights, target, [](auto width, SearchState& root, auto&& found) {
    return WeightedBranching::choose_branches(width, root, found);
  });
}

}  // namespace

TEST(weighted_branching_loses_no_clique) {
  Random random(1);
  SearchState state;
  for (int i = 0; i < 600; ++i) {
    const Node n = i % 30 == 0 ? random_between(60, 140, random) : random_between(1, 20, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, n > 20 ? 0.25 : 0.95, random), random);
    const Nodes weights = random_weights(n, i % 3 == 0 ? 1000 : 4, random);
    const Node max_weight = max_clique_weight(adjacent, weights);
    for (const Node above : {0, 1, 5}) step(state, adjacent, weights, max_weight + above);
  }
}

TEST(weighted_branching_ends_at_once_where_colours_or_weights_decide) {
  SearchState state;
  CHECK(!step(state, complete(2), {3, 4}, 8));
  CHECK(state.bound == 7);
  CHECK(!step(state, path(3), {2, 5, 3}, 9));
  CHECK(state.bound == 8);
  CHECK(step(state, path(3), {2, 5, 3}, 8));
  CHECK(state.bound < 8);
}

TEST(weighted_branching_reports_the_chosen_vertices_when_no_weight_is_missing) {
  SearchState state;
  const BitGraph graph = bit_graph(complete(2), {3, 4});
  state.graph = &graph;
  const Width<1> width(1);
  const Word none = 0;
  state.stack.begin(width, &none, 0);
  state.stack.chosen().push_back(1);
  Lists found;
  CHECK(!WeightedBranching::choose_branches(
      width, state, [&](std::span<const Node> members) { found.push_back(nodes_of(members)); }));
  CHECK(found == Lists{{1}});
}
