#include "hierarchy/coarsening.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "hierarchy/inherited_edges.hpp"
#include "pooling/pooler.hpp"
#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

constexpr std::uint64_t kMasks[] = {~std::uint64_t{0}, 0x3, 0x0};

// A fine level by its classes, its pools, and the same by nodes.
struct Level {
  Matrix adjacent;
  Graph graph;
  TwinLevel twins;
  Ragged pools;      // of classes
  Lists node_pools;  // of nodes

  GraphView quotient() const { return twins.quotient_or(graph.view()); }
};
Level pooled(const Matrix& adjacent) {
  Level level;
  level.adjacent = adjacent;
  level.graph = graph_of(adjacent);
  Budget budget;
  TwinFinder().run(level.graph.view(), budget, level.twins);
  Pooler().run({level.quotient(), level.twins.sizes.span()}, {}, budget, level.pools);
  level.node_pools =
      lists_of(expand_members(level.pools.view(), level.twins.classes.span(), level.twins.sizes.span(), budget).view());
  return level;
}

// A coarse + I = C Q Cᵀ, and the classes are those of equal N[P], numbered by their first pool.
void check_coarse(Coarsener& coarsener, const Level& level) {
  Budget budget;
  TwinLevel coarse;
  coarsener.run(level.quotient(), level.pools.view(), {}, budget, coarse);

  CHECK(nodes_of(coarse.classes.span()) == classes_of(neighbourhoods(level.adjacent, level.node_pools)));
  Nodes sizes(coarse.sizes.size(), 0);
  for (const Node c : coarse.classes.span()) ++sizes[idx(c)];
  CHECK(nodes_of(coarse.sizes.span()) == sizes);

  // The same with the neighbours in an array of the caller.
  TwinLevel again;
  std::vector<Node> neighbours;
  const auto allocate = [&](Offset entries) -> std::span<Node> {
    neighbours.assign(idx(entries), -1);
    return neighbours;
  };
  coarsener.run_into(level.quotient(), level.pools.view(), 2, allocate, budget, again);
  CHECK(check::equal(again.classes.span(), coarse.classes.span()));
  CHECK(check::equal(again.sizes.span(), coarse.sizes.span()));
  CHECK(check::equal(again.quotient.offsets.span(), coarse.quotient.offsets.span()));
  CHECK(neighbours == nodes_of(coarse.quotient.neighbours.span()));

  const Matrix expected = coarse_matrix(level.adjacent, level.node_pools);
  const Graph expanded = expand(coarse.classes.span(), coarse.sizes.span(), coarse.quotient.view(), budget);
  const Graph expected_graph = graph_of(expected);
  CHECK(check::equal(expanded.offsets.span(), expected_graph.offsets.span()));
  CHECK(check::equal(expanded.neighbours.span(), expected_graph.neighbours.span()));
  CHECK(count_expanded_edges(coarse.sizes.span(), coarse.quotient.view()) == expected_graph.view().num_edges());

  // offdiag(Sᵀ A S)
  const auto weights =
      count_inherited_edges(level.quotient(), level.twins.sizes.span(), level.pools.view(), expanded.view(), budget);
  CHECK(weights.size() == expanded.neighbours.size());
  bool same = true;
  for (Node p = 0; p < expanded.view().num_nodes(); ++p) {
    for (Offset i = expanded.offsets[idx(p)]; i < expanded.offsets[idx(p) + 1]; ++i) {
      std::int64_t edges = 0;
      for (const Node u : level.node_pools[idx(p)])
        for (const Node v : level.node_pools[idx(expanded.neighbours[idx(i)])]) edges += level.adjacent[idx(u)][idx(v)];
      same = same && weights[idx(i)] == edges;
    }
  }
  CHECK(same);
}

// One Coarsener for all graphs of a kind, for every mask.
template <typename Make>
void check_coarse_graphs(int count, std::uint32_t seed, Make&& make) {
  for (const std::uint64_t mask : kMasks) {
    Random random(seed);
    Coarsener coarsener(mask);
    for (int i = 0; i < count; ++i) check_coarse(coarsener, pooled(make(random)));
  }
}

}  // namespace

TEST(coarse_graphs_of_small_graphs_are_the_naive_ones) {
  check_coarse_graphs(400, 1, [](Random& random) {
    return random_matrix(random_between(0, 16, random), random_density(0.05, 0.9, random), random);
  });
}

TEST(coarse_graphs_of_graphs_with_twins_are_the_naive_ones) {
  check_coarse_graphs(200, 2, [](Random& random) {
    const Node n = random_between(1, 14, random);
    const Matrix base = random_matrix(n, random_density(0.1, 0.8, random), random);
    return with_twins(base, random_weights(n, 4, random), random);
  });
}

TEST(coarse_graphs_of_graphs_beyond_a_word_are_the_naive_ones) {
  check_coarse_graphs(30, 3, [](Random& random) {
    return random_matrix(random_between(65, 120, random), random_density(0.005, 0.12, random), random);
  });
}

// Many pools with the same neighbourhood: stars and cliques that hang together by a few nodes.
TEST(coarse_graphs_with_many_twin_pools_beyond_a_word_are_the_naive_ones) {
  check_coarse_graphs(20, 4, [](Random& random) {
    std::vector<Matrix> parts;
    for (int i = 0; i < 6; ++i) {
      const Node leaves = random_between(3, 9, random);
      parts.push_back(matrix(leaves + 1, [](Node u, Node) { return u == 0; }));
      parts.push_back(complement_of_groups(3, random_between(2, 3, random)));
    }
    Matrix adjacent = combine(parts, false);
    const Node n = size_of(adjacent);
    for (int i = 0; i < 12; ++i) {
      const Node u = random_between(0, n - 1, random);
      const Node v = random_between(0, n - 1, random);
      if (u != v) adjacent[idx(u)][idx(v)] = adjacent[idx(v)][idx(u)] = true;
    }
    return rename(adjacent, random_order(n, random));
  });
}

// At most 64 nodes, but more than 64 classes of pools: every edge of a triangle-free graph is a pool.
TEST(coarse_graphs_of_small_graphs_with_many_pools_are_the_naive_ones) {
  check_coarse_graphs(20, 5, [](Random& random) {
    const Node n = random_between(20, 64, random);
    std::bernoulli_distribution coin(random_density(0.1, 0.4, random));
    return matrix(n, [&](Node u, Node v) { return (u + v) % 2 == 1 && coin(random); });
  });
}

TEST(coarse_graphs_of_exactly_as_many_nodes_and_pools_as_a_word_has_bits) {
  for (const std::uint64_t mask : kMasks) {
    Coarsener coarsener(mask);
    for (const Node n : {63, 64, 65}) {
      check_coarse(coarsener, pooled(cycle(n)));
      check_coarse(coarsener, pooled(path(n)));
      Matrix chord = cycle(n);
      chord[0][10] = chord[10][0] = true;
      check_coarse(coarsener, pooled(chord));
      check_coarse(coarsener, pooled(matrix(n, [](Node, Node) { return false; })));
      check_coarse(coarsener, pooled(complete(n)));
    }
  }
}

TEST(pools_of_a_complete_bipartite_graph_are_one_class) {
  const Level level = pooled(matrix(10, [](Node u, Node v) { return u < 5 && v >= 5; }));
  Budget budget;
  TwinLevel coarse;
  Coarsener().run(level.quotient(), level.pools.view(), {}, budget, coarse);
  CHECK(coarse.classes.size() == 25);
  CHECK(nodes_of(coarse.sizes.span()) == Nodes{25});
  CHECK(coarse.quotient.neighbours.empty());
  CHECK(count_expanded_edges(coarse.sizes.span(), coarse.quotient.view()) == 300);
}

TEST(limit_on_bytes_ends_coarsening) {
  const Level level = pooled(cycle(200));
  TwinLevel coarse;
  Coarsener coarsener;
  Budget budget({.max_bytes = 1000});
  CHECK_THROWS(coarsener.run(level.quotient(), level.pools.view(), {}, budget, coarse), BudgetExceeded);
  Budget later({.max_bytes = 200 * 64});
  CHECK_THROWS(coarsener.run(level.quotient(), level.pools.view(), {}, later, coarse), BudgetExceeded);
  check_coarse(coarsener, level);
}
