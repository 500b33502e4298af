#include "pooling/unit_branching.hpp"

#include "tests/pooling/branching_step.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

bool step(SearchState& state, const Matrix& adjacent, Node target) {
  return check_branching_step(
      state, adjacent, ones(size_of(adjacent)), target,
      [](auto width, SearchState& root, auto&& found) { return UnitBranching::choose_branches(width, root, found); });
}

}  // namespace

TEST(unit_branching_loses_no_clique) {
  Random random(1);
  SearchState state;
  for (int i = 0; i < 600; ++i) {
    const Node n = i % 30 == 0 ? random_between(60, 140, random) : random_between(1, 20, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, n > 20 ? 0.25 : 0.95, random), random);
    const Node max_weight = max_clique_weight(adjacent, ones(n));
    for (Node above = 0; above < 3; ++above) step(state, adjacent, max_weight + above);
  }
}

TEST(unit_branching_ends_at_once_where_colours_or_counts_decide) {
  SearchState state;
  CHECK(!step(state, path(6), 3));
  CHECK(!step(state, complete(6), 6));
  CHECK(!step(state, complete(6), 7));
  CHECK(state.bound == 6);
  CHECK(!step(state, complement_of_groups(5, 3), 6));
  CHECK(state.bound == 5);
}

TEST(unit_branching_branches_on_one_class_where_there_are_as_many_as_vertices_missing) {
  SearchState state;
  CHECK(step(state, complement_of_groups(5, 3), 5));
  CHECK(std::popcount(*state.stack.branches()) == 3);
  // A vertex joined to all is forced.
  CHECK(step(state, combine({complement_of_groups(5, 3), complete(1)}, true), 6));
  CHECK(nodes_of(state.stack.chosen().span()) == Nodes{15});
  CHECK(std::popcount(*state.stack.branches()) == 3);
}
