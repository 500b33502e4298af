#include "pooling/word_pooling.hpp"

#include <algorithm>
#include <numeric>

#include "pooling/pairs_and_singles.hpp"
#include "tests/check.hpp"
#include "tests/large_graphs.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/pooling_cases.hpp"

using namespace cliquepool;
using namespace naive;

TEST(pools_by_words_with_pairs_and_singles_are_the_naive_ones) {
  Random random(71);
  WordPooling pooling;
  for (int i = 0; i < 120; ++i) {
    const Node n = random_between(1, 110, random);
    const Matrix adjacent = random_matrix(n, random_density(0.01, 0.12, random), random);
    const Nodes weights = random_weights(n, i % 3 + 1, random);
    const Lists expected = pools_by_search(adjacent, weights);
    OneRun one(adjacent, weights);
    CHECK(pooling.pool(one.run));
    // All that weigh more than a pair, and nothing else.
    const auto heavy = [&](const Nodes& pool) { return weight_of(pool, weights) > kPairWeight; };
    const auto num_heavy = std::count_if(expected.begin(), expected.end(), heavy);
    CHECK(one.lists() == Lists(expected.begin(), expected.begin() + num_heavy));
    pool_pairs_and_singles(one.run);
    CHECK(one.lists() == expected);
  }
}

TEST(graphs_that_do_not_fit_into_words_are_left_as_they_are) {
  WordPooling pooling;
  OneRun one(complete(80), {});
  CHECK(!pooling.pool(one.run));
  CHECK(one.lists().empty());
  CHECK(one.run.num_live() == 80);
}

TEST(graphs_too_dense_for_enumeration_are_left_with_whole_rounds_pooled) {
  WordPooling pooling;
  OneRun one(combine({complete(50), complement_of_groups(20, 3)}, false), {});
  CHECK(!pooling.pool(one.run));
  Nodes clique(50);
  std::iota(clique.begin(), clique.end(), 0);
  CHECK(one.lists().empty() || one.lists() == Lists{clique});
  CHECK(one.run.num_live() == (one.lists().empty() ? 110 : 60));
  CHECK(one.run.found().lists.size() == 0);
}

TEST(pools_by_words_of_large_graphs_are_the_same_for_any_number_of_threads) {
  Random random(74);
  const Node n = 40000;
  const Graph without_hubs = graph_of_low_degrees(n, random);
  Nodes pairs;
  for (Node v = 0; v < n; ++v)
    for (const Node u : without_hubs.view()[v]) pairs.insert(pairs.end(), {v, u});
  for (Node v = 0; v < n; v += 3) pairs.insert(pairs.end(), {v, random_between(0, 20, random)});
  const Graph with_hubs = graph_of_pairs(pairs, n);
  const Nodes weights = random_weights(n, 2, random);
  WordPooling pooling;
  PoolingRun::Memory memory;
  for (const Graph* graph : {&without_hubs, &with_hubs}) {
    for (const Nodes& of_nodes : {Nodes{}, weights}) {
      const auto pools = [&](unsigned threads) {
        Budget budget;
        Ragged found;
        PoolingRun run({graph->view(), of_nodes}, {.threads = threads}, budget, found, memory);
        CHECK(pooling.pool(run));
        pool_pairs_and_singles(run);
        return lists_of(found.view());
      };
      const Lists expected = pools(1);
      CHECK(expected == canonical(expected, of_nodes.empty() ? ones(n) : of_nodes));
      for (const unsigned threads : kThreadCounts) CHECK(pools(threads) == expected);
    }
  }
}
