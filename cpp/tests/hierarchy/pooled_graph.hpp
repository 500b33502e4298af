// A graph, its pools and the trie of these, for the tests of the steps of coarsening.
#pragma once

#include <tuple>
#include <vector>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "hierarchy/pool_trie.hpp"
#include "pooling/pooler.hpp"
#include "tests/naive.hpp"

struct PooledGraph {
  explicit PooledGraph(const naive::Matrix& matrix) : adjacent(matrix), graph(naive::graph_of(matrix)) {
    cliquepool::Pooler().run(graph.view(), {}, budget, pools);
    lists = naive::lists_of(pools.view());
    std::apply([&](auto&... buffers) { cliquepool::bind_all(budget, buffers...); }, trie.buffers());
    trie.build(graph.view(), pools.view(), 1, budget);
  }
  PooledGraph(const PooledGraph&) = delete;
  PooledGraph& operator=(const PooledGraph&) = delete;

  naive::Matrix adjacent;
  cliquepool::Graph graph;
  cliquepool::Budget budget;
  cliquepool::Ragged pools;
  naive::Lists lists;  // the same pools
  cliquepool::PoolTrie trie;
};

// Graphs without pools, with single pools, with twin pools, and of many words; for `check(const Matrix&)`.
template <typename Check>
void for_each_graph_to_coarsen(Check&& check) {
  using namespace naive;
  for (const Node n : {0, 1, 2, 9}) {
    check(complete(n));
    check(path(n));
    check(matrix(n, [](Node, Node) { return false; }));
  }
  check(cycle(4));
  check(complement_of_groups(4, 2));
  check(matrix(200, [](Node u, Node) { return u == 0; }));  // a star
  Random random(7);
  for (int i = 0; i < 20; ++i) {
    const Node n = random_between(3, 90, random);
    check(random_matrix(n, random_density(0.01, 0.2, random), random));
  }
}
