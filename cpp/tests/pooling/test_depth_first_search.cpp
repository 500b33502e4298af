#include "pooling/depth_first_search.hpp"

#include "pooling/unit_branching.hpp"
#include "pooling/weighted_branching.hpp"
#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

struct Outcome {
  std::optional<Node> reached;
  Lists cliques;
};

template <typename Branching>
Outcome search(SearchState& state, const Matrix& adjacent, const Nodes& weights, Node target, SearchGoal goal,
               std::int64_t effort = std::int64_t{1} << 40) {
  const BitGraph graph = bit_graph(adjacent, weights);
  Budget budget;
  Pace pace(budget);
  state.effort.begin(effort, pace);
  state.target = target;
  state.bound = 0;
  Outcome outcome;
  const std::vector<Word> all = set_of(all_nodes(graph.size), graph.words);
  outcome.reached = search_depth_first<Branching>(state, graph, all.data(), goal, [&](std::span<const Node> members) {
    outcome.cliques.push_back(nodes_of(members));
  });
  outcome.cliques = canonical(outcome.cliques, weights);
  return outcome;
}

template <typename Branching>
void check_goals(SearchState& state, const Matrix& adjacent, const Nodes& weights) {
  const Lists expected = heaviest_cliques(adjacent, weights);
  const Node max_weight = weight_of(expected.front(), weights);
  const Outcome all = search<Branching>(state, adjacent, weights, max_weight, SearchGoal::all_cliques);
  CHECK(all.reached == max_weight);
  CHECK(all.cliques == expected);
  CHECK(search<Branching>(state, adjacent, weights, max_weight, SearchGoal::one_clique).reached == max_weight);

  const Outcome none = search<Branching>(state, adjacent, weights, max_weight + 1, SearchGoal::all_cliques);
  CHECK(none.cliques.empty());
  CHECK(none.reached && *none.reached == max_weight);
  const Outcome decided = search<Branching>(state, adjacent, weights, max_weight + 1, SearchGoal::one_clique);
  CHECK(decided.reached == none.reached);

  for (const Node target : {max_weight, max_weight + 1}) {
    const Outcome at_root = search<Branching>(state, adjacent, weights, target, SearchGoal::root_only);
    if (!at_root.reached) {
      CHECK(at_root.cliques.empty());
    } else {
      CHECK(at_root.cliques == (target == max_weight ? expected : Lists{}));
      CHECK(*at_root.reached >= max_weight);
    }
  }
}

}  // namespace

TEST(a_depth_first_search_reaches_each_of_its_goals_with_unit_weights) {
  Random random(1);
  SearchState state;
  for (int i = 0; i < 400; ++i) {
    const Node n = random_between(1, i % 20 == 0 ? 130 : 25, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, n > 25 ? 0.3 : 0.9, random), random);
    check_goals<UnitBranching>(state, adjacent, ones(n));
  }
}

TEST(a_depth_first_search_reaches_each_of_its_goals_with_different_weights) {
  Random random(2);
  SearchState state;
  for (int i = 0; i < 400; ++i) {
    const Node n = random_between(1, i % 20 == 0 ? 130 : 25, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, n > 25 ? 0.3 : 0.9, random), random);
    check_goals<WeightedBranching>(state, adjacent, random_weights(n, 4, random));
  }
}

TEST(a_depth_first_search_in_a_nearly_complete_graph_nests_thousands_deep) {
  // A perfect matching is missing: every clique of 1,000 vertices has one of each pair, so one is enough.
  SearchState state;
  const Matrix adjacent = complement_of_groups(1000, 2);
  const Outcome outcome = search<UnitBranching>(state, adjacent, ones(2000), 1000, SearchGoal::one_clique);
  CHECK(outcome.reached == 1000);
  CHECK(outcome.cliques.front().size() == 1000);
}

TEST(a_search_for_one_clique_that_spends_its_effort_proves_nothing) {
  // Two colours more than the largest clique has vertices: no root can decide.
  SearchState state;
  const Matrix odd = combine({cycle(7), cycle(7), cycle(7), cycle(7)}, true);
  const Outcome decided = search<UnitBranching>(state, odd, ones(28), 9, SearchGoal::one_clique);
  CHECK(decided.reached && *decided.reached == 8);
  const Outcome given_up = search<UnitBranching>(state, odd, ones(28), 9, SearchGoal::one_clique, 0);
  CHECK(given_up.reached == 9);
  CHECK(given_up.cliques.empty());
  CHECK(!search<UnitBranching>(state, odd, ones(28), 9, SearchGoal::root_only).reached);
}
