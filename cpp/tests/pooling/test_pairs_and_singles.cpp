#include "pooling/pairs_and_singles.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/pooling_cases.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// No triangles: edges only between even and odd nodes.
Matrix random_bipartite(Node n, Random& random) {
  const Matrix all = random_matrix(n, random_density(0.02, 0.5, random), random);
  return matrix(n, [&](Node u, Node v) { return (u + v) % 2 == 1 && all[idx(u)][idx(v)]; });
}

}  // namespace

TEST(pairs_and_singles_of_bipartite_graphs_are_the_naive_pools) {
  Random random(51);
  for (int i = 0; i < 200; ++i) {
    const Node n = random_between(0, 40, random);
    const Matrix adjacent = random_bipartite(n, random);
    // Isolated nodes may weigh two: as much as a pair.
    Nodes weights = ones(n);
    for (std::size_t v = 0; v < weights.size(); ++v) {
      const bool isolated = std::find(adjacent[v].begin(), adjacent[v].end(), true) == adjacent[v].end();
      if (isolated && i % 2 == 0) weights[v] = random_between(1, 2, random);
    }
    OneRun one(adjacent, weights);
    pool_pairs_and_singles(one.run);
    CHECK(one.lists() == pools_by_search(adjacent, weights));
    CHECK(one.run.num_live() == 0);
    OneRun first(adjacent, weights, {.only_first_round = true});
    pool_pairs_and_singles(first.run);
    CHECK(first.lists() == heaviest_cliques(adjacent, weights));
  }
}

TEST(pairs_and_singles_are_those_of_live_vertices) {
  OneRun one(path(6), {});
  one.run.remove(Nodes{2});
  pool_pairs_and_singles(one.run);
  CHECK(one.lists() == Lists{{0, 1}, {3, 4}, {4, 5}});
}

TEST(limit_on_cliques_ends_pairs) {
  const Graph star = graph_of(matrix(600, [](Node u, Node) { return u == 0; }));
  Budget budget({.max_cliques = 300});
  Ragged pools;
  PoolingRun::Memory memory;
  PoolingRun run(star.view(), {}, budget, pools, memory);
  CHECK_THROWS(pool_pairs_and_singles(run), BudgetExceeded);
}
