// Many runs of one Pooler: threads, budgets that end a run, progress. Its pools are tested in test_pooler_pools.cpp.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

#include "pooling/pooler.hpp"
#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/pooling_cases.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

void check_threads_agree(const Matrix& adjacent, const Nodes& weights) {
  const Graph graph = graph_of(adjacent);
  Ragged first;
  Pooler pooler;
  for (const unsigned threads : {1U, 2U, 4U, 2U}) {
    Budget budget;
    Ragged pools;
    pooler.run({graph.view(), weights}, {.threads = threads}, budget, pools);
    if (first.size() == 0) {
      first = std::move(pools);
      continue;
    }
    CHECK(check::equal(first.offsets.span(), pools.offsets.span()));
    CHECK(check::equal(first.members.span(), pools.members.span()));
  }
}

}  // namespace

TEST(pools_are_the_same_bytes_for_any_number_of_threads) {
  Random random(9);
  for (const Node heaviest : {1, 3, kHeavy}) {
    const Case dense = random_join(200, 5, 7, heaviest, random);
    check_threads_agree(dense.adjacent, dense.weights);
    const Node n = heaviest == kHeavy ? 120 : 400;
    check_threads_agree(random_matrix(n, 0.2, random), random_weights(n, heaviest, random));
    const Matrix groups = complement_of_groups(6, 14);
    check_threads_agree(combine({groups, complement_of_groups(5, 5)}, false),
                        random_weights(size_of(groups) + 25, heaviest == 1 ? 4 : heaviest, random));
  }
  check_threads_agree(combine({complement_of_groups(9, 3), complement_of_groups(4, 12)}, false), ones(75));
}

TEST(pools_by_threads_are_the_naive_ones) {
  Random random(10);
  Pooler pooler;
  for (int i = 0; i < 12; ++i) {
    const Case given = random_join(110 + 10 * i, 5, 7, i % 3 + 1, random);
    CHECK(pool(pooler, given.adjacent, given.weights, {.threads = 1U + static_cast<unsigned>(i) % 4}) == given.pools);
  }
}

TEST(only_the_first_round_gives_all_heaviest_cliques) {
  Random random(11);
  Pooler pooler;
  for (int i = 0; i < 300; ++i) {
    const Node n = i % 3 == 0 ? random_between(64, 100, random) : random_between(1, 40, random);
    const Matrix adjacent = random_matrix(n, random_density(0.02, 0.3, random), random);
    const Nodes weights = random_weights(n, i % 2 == 0 ? 1 : 5, random);
    CHECK(pool(pooler, adjacent, weights, {.only_first_round = true}) == heaviest_cliques(adjacent, weights));
    if (i % 10 == 0) CHECK(pool(pooler, adjacent, weights) == pools_by_search(adjacent, weights));
  }
}

TEST(pooler_gives_right_pools_after_a_run_that_was_cut_short) {
  Random random(12);
  Pooler pooler;
  const Graph many = graph_of(complement_of_groups(40, 3));
  const Graph fewer = graph_of(complement_of_groups(20, 3));
  for (int i = 0; i < 60; ++i) {
    Ragged pools;
    const Limits limits = i % 3 == 0   ? Limits{.max_cliques = 100 + 50 * i}
                          : i % 3 == 1 ? Limits{.max_bytes = 200'000 + 10'000 * i}
                                       : Limits{.max_seconds = 0.001 * (i % 5)};
    Budget budget(limits);
    const auto run = [&] {
      const GraphView graph = i % 4 == 0 ? fewer.view() : many.view();
      pooler.run(graph, {.threads = 1U + static_cast<unsigned>(i) % 3}, budget, pools);
    };
    CHECK_THROWS(run(), BudgetExceeded);
    const Case given = i % 2 == 0 ? random_union(random_between(10, 150, random), 3, random)
                                  : random_join(random_between(65, 130, random), 4, 6, 2, random);
    CHECK(pool(pooler, given.adjacent, given.weights, {.threads = 2}) == given.pools);
  }
}

// Three groups of forty, joined; the first weigh two: its local graphs are complete bipartite, and all their edges are
// reported before anything is branched on.
TEST(pooler_gives_right_pools_after_a_budget_was_exceeded_at_the_root_of_a_search) {
  const Graph groups = graph_of(complement_of_groups(3, 40));
  Nodes weights = ones(120);
  std::fill(weights.begin(), weights.begin() + 40, 2);
  Random random(15);
  for (const Node size : {5, 40, 100}) {
    Pooler pooler;
    Budget budget({.max_cliques = 300});
    Ragged pools;
    CHECK_THROWS(pooler.run({groups.view(), weights}, {}, budget, pools), BudgetExceeded);
    const Matrix adjacent = random_matrix(size, 0.3, random);
    CHECK(pool(pooler, adjacent, {}) == pools_by_search(adjacent, ones(size)));
  }
}

// After a run, only its pools are charged to the budget.
TEST(one_budget_serves_any_number_of_graphs) {
  Random random(16);
  const Graph graph = graph_of(random_matrix(150, 0.5, random));
  Pooler pooler;
  const auto fits = [&](std::int64_t max_bytes, int runs) {
    Budget budget({.max_bytes = max_bytes});
    Ragged pools;
    try {
      for (int i = 0; i < runs; ++i) {
        pooler.run(graph.view(), {}, budget, pools);
        budget.release_bytes(static_cast<std::int64_t>(pools.members.size() * 4 + pools.offsets.size() * 8));
      }
    } catch (const BudgetExceeded&) {
      return false;
    }
    return true;
  };
  std::int64_t enough = 1024;
  while (!fits(enough, 1)) enough += 1024;
  CHECK(fits(enough + 1024, 100));
}

TEST(classes_of_as_many_nodes_as_there_can_be_are_pooled) {
  Pooler pooler;
  CHECK(pool(pooler, complete(1), {kMaxNodes}) == Lists{{0}});
  CHECK(pool(pooler, complete(2), {1, kMaxNodes - 1}) == Lists{{0, 1}});
  CHECK(pool(pooler, complete(3), {kMaxNodes - 3, 1, 2}) == Lists{{0, 1, 2}});
  CHECK(pool(pooler, path(3), {1, kMaxNodes - 2, 1}) == Lists{{0, 1}, {1, 2}});
  CHECK(pool(pooler, path(2), {kMaxNodes - 1, 1}) == Lists{{0, 1}});
  Nodes weights = ones(100);
  weights[7] = kMaxNodes - 99;
  Nodes all(100);
  std::iota(all.begin(), all.end(), 0);
  CHECK(pool(pooler, complete(100), weights) == Lists{all});
  Lists apart{{7}};
  for (Node v = 0; v < 100; ++v)
    if (v != 7) apart.push_back({v});
  CHECK(pool(pooler, matrix(100, [](Node, Node) { return false; }), weights) == apart);
}

TEST(pooler_reports_how_many_vertices_are_pooled) {
  Random random(13);
  Pooler pooler;
  for (const Node n : {30, 100}) {
    const Graph graph = graph_of(random_matrix(n, 0.1, random));
    Progress last;
    Budget budget({}, [&](const Progress& progress) { last = progress; });
    Ragged pools;
    pooler.run(graph.view(), {.progress = true}, budget, pools);
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    budget.check();
    CHECK(last.done == n);
    CHECK(last.total == n);
  }
}
