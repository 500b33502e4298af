#include "hierarchy/class_edges.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hierarchy/pool_twins.hpp"
#include "tests/check.hpp"
#include "tests/hierarchy/pooled_graph.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

Graph long_path(Node nodes) {
  Graph graph;
  graph.offsets.push_back(0);
  for (Node v = 0; v < nodes; ++v) {
    if (v > 0) graph.neighbours.push_back(v - 1);
    if (v + 1 < nodes) graph.neighbours.push_back(v + 1);
    graph.offsets.push_back(static_cast<Offset>(graph.neighbours.size()));
  }
  return graph;
}

// Builds the quotient between the classes that PoolTwins finds.
TwinLevel joined_classes(ClassEdges& edges, PooledGraph& pooled, unsigned threads = 1) {
  PoolTwins finder(~std::uint64_t{0});
  const ChargeScope scope(pooled.budget, finder, edges);
  TwinLevel coarse;
  finder.find(pooled.graph.view(), pooled.pools.view(), pooled.trie, threads, coarse);
  edges.begin(pooled.graph.view(), pooled.trie, finder.representatives(), coarse.classes.span(), threads);
  edges.join(coarse.quotient);
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

// The size is known before the classes are joined; the bound of PoolTwins is no smaller.
TEST(counts_of_edges_between_classes_are_those_of_the_joined_rows) {
  ClassEdges edges;
  for_each_graph_to_coarsen([&](const Matrix& adjacent) {
    PooledGraph pooled(adjacent);
    PoolTwins finder(~std::uint64_t{0});
    const ChargeScope scope(pooled.budget, finder, edges);
    TwinLevel coarse;
    finder.find(pooled.graph.view(), pooled.pools.view(), pooled.trie, 1, coarse);
    edges.begin(pooled.graph.view(), pooled.trie, finder.representatives(), coarse.classes.span(), 1);
    const Offset counted = edges.count(coarse.sizes.span());
    CHECK(counted <= finder.most_entries());
    const Nodes degrees = nodes_of(edges.degrees());
    const std::vector<Offset> weights(edges.closed_weights().begin(), edges.closed_weights().end());
    edges.join(coarse.quotient);
    const GraphView quotient = coarse.quotient.view();
    CHECK(counted == static_cast<Offset>(quotient.neighbours.size()));
    for (const Node slot : finder.representatives()) {
      const Node c = coarse.classes[idx(pooled.trie.pool(slot))];
      CHECK(degrees[idx(c)] == quotient.degree(c));
      Offset weight = coarse.sizes[idx(c)];
      for (const Node d : quotient[c]) weight += coarse.sizes[idx(d)];
      CHECK(weights[idx(c)] == weight);
      ChargedBuffer<Node> listed(pooled.budget);
      edges.list_row(slot, listed);
      Nodes row = nodes_of(listed.span());
      std::erase(row, c);
      std::sort(row.begin(), row.end());
      CHECK(check::equal(row, quotient[c]));
    }
  });
}

TEST(edges_between_classes_do_not_depend_on_the_number_of_threads) {
  ClassEdges edges;
  // A path of 20,000 nodes has 19,999 pools, which are several ranges for the threads.
  const Graph graph = long_path(20000);
  Budget budget;
  Ragged pools;
  Pooler().run(graph.view(), {}, budget, pools);
  PoolTrie trie;
  const ChargeScope trie_scope(budget, trie.buffers());
  trie.build(graph.view(), pools.view(), 2, budget);
  PoolTwins finder(~std::uint64_t{0});
  const auto joined = [&](unsigned threads) {
    const ChargeScope scope(budget, finder, edges);
    TwinLevel coarse;
    finder.find(graph.view(), pools.view(), trie, threads, coarse);
    edges.begin(graph.view(), trie, finder.representatives(), coarse.classes.span(), threads);
    const Offset counted = edges.count(coarse.sizes.span());
    edges.join(coarse.quotient);
    CHECK(counted == static_cast<Offset>(coarse.quotient.neighbours.size()));
    return coarse;
  };
  const TwinLevel expected = joined(1);
  for (const unsigned threads : {2U, 3U}) {
    const TwinLevel got = joined(threads);
    CHECK(check::equal(got.classes.span(), expected.classes.span()));
    CHECK(check::equal(got.quotient.offsets.span(), expected.quotient.offsets.span()));
    CHECK(check::equal(got.quotient.neighbours.span(), expected.quotient.neighbours.span()));
  }
}

TEST(limit_on_bytes_ends_the_search_for_edges_between_classes) {
  PooledGraph pooled(cycle(200));
  PoolTwins finder(~std::uint64_t{0});
  const ChargeScope finder_scope(pooled.budget, finder);
  TwinLevel coarse;
  finder.find(pooled.graph.view(), pooled.pools.view(), pooled.trie, 1, coarse);
  ClassEdges edges;
  Budget budget({.max_bytes = 1000});
  const ChargeScope edges_scope(budget, edges);
  CHECK_THROWS(edges.begin(pooled.graph.view(), pooled.trie, finder.representatives(), coarse.classes.span(), 1),
               BudgetExceeded);
}
