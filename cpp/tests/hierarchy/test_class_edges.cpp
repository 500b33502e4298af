#include "hierarchy/class_edges.hpp"

#include <cstdint>

#include "hierarchy/pool_twins.hpp"
#include "tests/check.hpp"
#include "tests/hierarchy/pooled_graph.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// Builds the quotient between the classes that PoolTwins finds.
TwinLevel joined_classes(ClassEdges& edges, PooledGraph& pooled) {
  PoolTwins finder(~std::uint64_t{0});
  const ChargeScope finder_scope(pooled.budget, finder.buffers());
  const ChargeScope edges_scope(pooled.budget, edges.buffers());
  TwinLevel coarse;
  finder.find(pooled.graph.view(), pooled.pools.view(), pooled.trie, pooled.budget, coarse);
  edges.build(pooled.graph.view(), pooled.trie, finder.representatives(), pooled.budget, coarse);
  return coarse;
}

}  // namespace

TEST(classes_are_joined_when_their_pools_are_adjacent) {
  // The triangle 0 1 2, the edge 3 4 joined to it by 2 - 3, and 5 alone: classes 0, 1, 2.
  PooledGraph pooled(matrix_of(6, {{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}}));
  CHECK(pooled.lists == Lists{{0, 1, 2}, {3, 4}, {5}});
  ClassEdges edges;
  const TwinLevel coarse = joined_classes(edges, pooled);
  CHECK(matrix_of(coarse.quotient.view()) == matrix_of(3, {{0, 1}}));
}

TEST(classes_are_joined_by_a_common_node) {
  // Pools that share a node with a neighbour are adjacent: the edges of a path of five.
  PooledGraph pooled(path(5));
  ClassEdges edges;
  const TwinLevel coarse = joined_classes(edges, pooled);
  CHECK(nodes_of(coarse.classes.span()) == Nodes{0, 1, 2, 3});
  CHECK(matrix_of(coarse.quotient.view()) == matrix_of(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}}));
}

TEST(edges_between_classes_are_the_naive_ones_in_ascending_rows) {
  ClassEdges edges;
  for_each_graph_to_coarsen([&](const Matrix& adjacent) {
    PooledGraph pooled(adjacent);
    const TwinLevel coarse = joined_classes(edges, pooled);
    Lists first_pools(coarse.sizes.size());
    for (std::size_t pool = pooled.lists.size(); pool-- > 0;)
      first_pools[idx(coarse.classes[pool])] = pooled.lists[pool];
    const Graph expected = graph_of(coarse_matrix(adjacent, first_pools));
    CHECK(check::equal(coarse.quotient.offsets.span(), expected.offsets.span()));
    CHECK(check::equal(coarse.quotient.neighbours.span(), expected.neighbours.span()));
  });
}

TEST(limit_on_bytes_ends_the_search_for_edges_between_classes) {
  PooledGraph pooled(cycle(200));
  PoolTwins finder(~std::uint64_t{0});
  const ChargeScope finder_scope(pooled.budget, finder.buffers());
  TwinLevel coarse;
  finder.find(pooled.graph.view(), pooled.pools.view(), pooled.trie, pooled.budget, coarse);
  ClassEdges edges;
  Budget budget({.max_bytes = 1000});
  const ChargeScope edges_scope(budget, edges.buffers());
  CHECK_THROWS(edges.build(pooled.graph.view(), pooled.trie, finder.representatives(), budget, coarse), BudgetExceeded);
}
