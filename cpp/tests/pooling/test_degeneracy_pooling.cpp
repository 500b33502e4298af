#include "pooling/degeneracy_pooling.hpp"

#include "pooling/pairs_and_singles.hpp"
#include "tests/check.hpp"
#include "tests/large_graphs.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/pooling_cases.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

Lists pool_by_degeneracy(DegeneracyPooling& pooling, const Matrix& adjacent, const Nodes& weights, unsigned threads) {
  OneRun one(adjacent, weights, {.threads = threads});
  pooling.pool(one.run);
  pool_pairs_and_singles(one.run);
  return one.lists();
}

}  // namespace

// Graphs of every size: also those that a Pooler pools in other ways.
TEST(pools_by_degeneracy_are_the_naive_ones) {
  Random random(81);
  DegeneracyPooling pooling;
  for (int i = 0; i < 200; ++i) {
    const Node n = random_between(0, 90, random);
    const Matrix adjacent = random_matrix(n, random_density(0.02, n > 40 ? 0.25 : 0.6, random), random);
    const Nodes weights = random_weights(n, i % 4 == 3 ? kHeavy : i % 4 + 1, random);
    const unsigned threads = static_cast<unsigned>(i) % 3 + 1;
    CHECK(pool_by_degeneracy(pooling, adjacent, weights, threads) == pools_by_search(adjacent, weights));
  }
}

TEST(pools_by_degeneracy_of_dense_graphs_are_the_product_of_their_parts) {
  Random random(82);
  DegeneracyPooling pooling;
  for (const Node size : {36, 70, 140}) {
    const Case given = random_join(size, 5, 7, 3, random);
    CHECK(pool_by_degeneracy(pooling, given.adjacent, given.weights, 2) == given.pools);
  }
}

TEST(pooling_by_degeneracy_goes_on_with_the_live_vertices_of_a_run) {
  DegeneracyPooling pooling;
  OneRun one(complete(6), {});
  one.run.remove(Nodes{1, 4});
  pooling.pool(one.run);
  CHECK(one.lists() == Lists{{0, 2, 3, 5}});
}

TEST(pooling_by_degeneracy_releases_its_memory_after_success_and_failure) {
  const Graph dense = graph_of(complement_of_groups(20, 3));
  DegeneracyPooling pooling;
  PoolingRun::Memory memory;
  Ragged pools;
  for (int i = 0; i < 2; ++i) {
    Budget few({.max_cliques = 1000});
    std::int64_t live_bytes = 0;
    {
      PoolingRun run(dense.view(), {.threads = 2}, few, pools, memory);
      live_bytes = few.bytes();
      CHECK_THROWS(pooling.pool(run), BudgetExceeded);
      for (const unsigned thread : {0U, 1U}) run.found(thread).clear(few);
      CHECK(few.bytes() == live_bytes);
    }
    Random random(83);
    OneRun one(random_matrix(80, 0.3, random), {});
    const std::int64_t before = one.budget.bytes();
    pooling.pool(one.run);
    CHECK(one.budget.bytes() == before + one.pools.bytes());
  }
}

TEST(pools_by_degeneracy_of_large_graphs_are_the_same_for_any_number_of_threads) {
  Random random(84);
  const Graph graph = graph_with_hubs(20000, random);
  const Nodes weights = random_weights(20000, 2, random);
  DegeneracyPooling pooling;
  PoolingRun::Memory memory;
  const auto pools_of = [&](const Nodes& of_nodes, unsigned threads) {
    Budget budget;
    Ragged pools;
    PoolingRun run({graph.view(), of_nodes}, {.threads = threads}, budget, pools, memory);
    pooling.pool(run);
    pool_pairs_and_singles(run);
    return lists_of(pools.view());
  };
  for (const Nodes& of_nodes : {Nodes{}, weights}) {
    const Lists expected = pools_of(of_nodes, 1);
    for (const unsigned threads : kThreadCounts) CHECK(pools_of(of_nodes, threads) == expected);
  }
}

TEST(pools_by_degeneracy_of_dense_graphs_are_the_same_for_any_number_of_threads) {
  Random random(85);
  DegeneracyPooling pooling;
  for (const double density : {0.5, 0.8}) {
    const Matrix adjacent = random_matrix(120, density, random);
    for (const Nodes& weights : {Nodes{}, random_weights(120, 2, random)}) {
      const Lists expected = pool_by_degeneracy(pooling, adjacent, weights, 1);
      for (const unsigned threads : kThreadCounts)
        CHECK(pool_by_degeneracy(pooling, adjacent, weights, threads) == expected);
    }
  }
}

TEST(a_budget_that_is_exceeded_in_a_shared_search_ends_all_threads) {
  const Graph dense = graph_of(complement_of_groups(30, 3));
  DegeneracyPooling pooling;
  PoolingRun::Memory memory;
  Ragged pools;
  for (const unsigned threads : {2U, 4U, 4U, 4U}) {
    Budget few({.max_cliques = 300'000});
    PoolingRun run(dense.view(), {.threads = threads}, few, pools, memory);
    CHECK_THROWS(pooling.pool(run), BudgetExceeded);
  }
  // Nothing of the searches that were left is used by the next ones.
  Random random(86);
  const Matrix adjacent = random_matrix(150, 0.8, random);
  const Lists expected = pool_by_degeneracy(pooling, adjacent, {}, 1);
  CHECK(pool_by_degeneracy(pooling, adjacent, {}, 4) == expected);
}
