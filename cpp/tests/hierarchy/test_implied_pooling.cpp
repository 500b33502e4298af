#include "hierarchy/implied_pooling.hpp"

#include <vector>

#include "hierarchy/hierarchy.hpp"
#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

std::vector<HierarchyLevel> levels_of(HierarchyBuilder&& builder, const Matrix& adjacent, int levels,
                                      unsigned threads) {
  const Graph graph = graph_of(adjacent);
  Budget budget;
  TwinLevel twins;
  TwinFinder().run(graph.view(), budget, twins);
  return builder.run({twins.quotient_or(graph.view()), twins.sizes.span()}, levels, threads, budget);
}

// The levels with implied quotients are those with stored ones, without the quotients.
void check_levels(const Matrix& adjacent, Offset most_stored, int levels = kUntilConverged, unsigned threads = 1) {
  const auto expected = levels_of(HierarchyBuilder(), adjacent, levels, 1);
  const auto got = levels_of(HierarchyBuilder(most_stored), adjacent, levels, threads);
  CHECK(got.size() == expected.size());
  if (got.size() != expected.size()) return;
  for (std::size_t i = 0; i < got.size(); ++i) {
    CHECK(check::equal(got[i].pools.offsets.span(), expected[i].pools.offsets.span()));
    CHECK(check::equal(got[i].pools.members.span(), expected[i].pools.members.span()));
    CHECK(check::equal(got[i].coarse.classes.span(), expected[i].coarse.classes.span()));
    CHECK(check::equal(got[i].coarse.sizes.span(), expected[i].coarse.sizes.span()));
    const Graph& quotient = expected[i].coarse.quotient;
    if (got[i].closed_weights.empty()) {
      CHECK(check::equal(got[i].coarse.quotient.offsets.span(), quotient.offsets.span()));
      CHECK(check::equal(got[i].coarse.quotient.neighbours.span(), quotient.neighbours.span()));
      CHECK(static_cast<Offset>(quotient.neighbours.size()) <= most_stored);
      continue;
    }
    CHECK(static_cast<Offset>(quotient.neighbours.size()) > most_stored);
    CHECK(got[i].coarse.quotient.neighbours.empty());
    for (Node c = 0; c < quotient.view().num_nodes(); ++c) {
      Offset weight = expected[i].coarse.sizes[idx(c)];
      for (const Node d : quotient.view()[c]) weight += expected[i].coarse.sizes[idx(d)];
      CHECK(got[i].closed_weights[idx(c)] == weight);
    }
  }
}

// Tied cliques that share `common` nodes and choose one node of each pair; a path of one or two nodes hangs on every
// node, so that no two of them are twins.
Matrix core_of_tied_cliques(Node common, Node pairs) {
  const Node core = common + 2 * pairs;
  return matrix(3 * core, [&](Node u, Node v) {
    if (v < core) return u < common || (u - common) / 2 != (v - common) / 2;
    return v == u + core || (u % 3 == 0 && v == u + 2 * core) || (u >= core && v == u + core && u % 2 == 0);
  });
}

}  // namespace

TEST(hierarchies_of_small_graphs_with_implied_rows_are_those_with_stored_ones) {
  Random random(1);
  for (int i = 0; i < 150; ++i) {
    const Matrix adjacent = random_matrix(random_between(1, 14, random), random_density(0.1, 0.7, random), random);
    check_levels(adjacent, 0);
    check_levels(adjacent, random_between(1, 40, random));
  }
}

TEST(hierarchies_of_graphs_with_twins_and_implied_rows_are_those_with_stored_ones) {
  Random random(2);
  for (int i = 0; i < 60; ++i) {
    const Node n = random_between(2, 10, random);
    const Matrix base = random_matrix(n, random_density(0.1, 0.6, random), random);
    const Matrix adjacent = with_twins(base, random_weights(n, 4, random), random);
    check_levels(adjacent, random_between(0, 30, random));
  }
}

TEST(hierarchies_of_graphs_beyond_a_word_with_implied_rows_are_those_with_stored_ones) {
  Random random(3);
  for (int i = 0; i < 8; ++i) {
    const Matrix adjacent = random_matrix(random_between(65, 110, random), random_density(0.01, 0.05, random), random);
    for (const Offset most_stored : {0, 50, 1000}) check_levels(adjacent, most_stored, 3);
  }
}

TEST(pools_of_a_core_of_tied_cliques_do_not_depend_on_stored_rows_or_threads) {
  for (const Node pairs : {3, 6}) {
    const Matrix adjacent = core_of_tied_cliques(5, pairs);
    for (const Offset most_stored : {0, 100, 2000})
      for (const unsigned threads : {1U, 2U}) check_levels(adjacent, most_stored, kUntilConverged, threads);
  }
}

TEST(the_last_of_several_levels_may_be_implied) {
  check_levels(core_of_tied_cliques(2, 4), 100, 1);
  check_levels(core_of_tied_cliques(2, 4), 100, 2);
}
