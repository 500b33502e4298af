#include "pooling/shard_graph.hpp"

#include <algorithm>
#include <set>

#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/sharded_graph.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

using Edges = std::set<std::pair<Node, Node>>;

// What a shard must have by its definition: the edges of own vertices to later ones, and those that close triangles.
Edges expected_edges(const ShardedGraph& graph, Node shard) {
  Edges edges;
  const Node n = size_of(graph.adjacent);
  for (Node v = 0; v < n; ++v) {
    if (graph.owner[idx(v)] != shard) continue;
    for (Node u = v + 1; u < n; ++u) {
      if (!graph.adjacent[idx(v)][idx(u)]) continue;
      edges.emplace(v, u);
      for (Node x = u + 1; x < n; ++x)
        if (graph.adjacent[idx(v)][idx(x)] && graph.adjacent[idx(u)][idx(x)]) edges.emplace(u, x);
    }
  }
  return edges;
}

TEST(a_shard_has_the_later_lists_of_its_vertices_and_the_edges_that_close_their_triangles) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Node n = random_between(0, 20, random);
    const ShardedGraph graph(random_matrix(n, random_density(0, 1, random), random), 3, random);
    for (Node s = 0; s < graph.num_shards; ++s) {
      Budget budget;
      const Shard shard = graph.cut(s, budget);
      CHECK(std::is_sorted(shard.ranks.begin(), shard.ranks.end()));
      Edges found;
      Offset own_edges = 0;
      for (std::size_t v = 0; v < shard.ranks.size(); ++v) {
        const auto begin = idx(shard.offsets[v]), end = idx(shard.offsets[v + 1]);
        CHECK(std::is_sorted(shard.later.data() + begin, shard.later.data() + end, std::greater<>()));
        if (graph.owner[idx(shard.ranks[v])] == s) own_edges += static_cast<Offset>(end - begin);
        for (std::size_t at = begin; at < end; ++at) found.emplace(shard.ranks[v], shard.ranks[idx(shard.later[at])]);
      }
      CHECK(found == expected_edges(graph, s));
      CHECK(shard.own_edges == own_edges);
      CHECK(shard.halo_edges == static_cast<Offset>(found.size()) - own_edges);
      Nodes own;
      for (const Node v : shard.own.span()) own.push_back(shard.ranks[idx(v)]);
      Nodes expected;
      for (Node v = 0; v < n; ++v)
        if (graph.owner[idx(v)] == s) expected.push_back(v);
      CHECK(own == expected);
    }
  }
}

TEST(closing_edges_are_counted_for_each_edge) {
  Random random(8);
  for (int i = 0; i < 20; ++i) {
    const ShardedGraph graph(random_matrix(15, random_density(0, 1, random), random), 1, random);
    const Matrix& joined = graph.adjacent;
    Nodes expected;
    for (Node v = 0; v < 15; ++v) {
      for (const Node u : graph.view()[v]) {
        Node common = 0;
        for (Node x = u + 1; x < 15; ++x) common += joined[idx(v)][idx(x)] && joined[idx(u)][idx(x)];
        expected.push_back(common);
      }
    }
    Budget budget;
    CHECK(nodes_of(count_closing_edges(graph.view(), budget).span()) == expected);
  }
}

TEST(cutting_a_shard_obeys_the_budget) {
  Random random(2);
  const ShardedGraph graph(complete(60), 2, random);
  Budget little({.max_bytes = 500});
  CHECK_THROWS(graph.cut(0, little), BudgetExceeded);
  Budget no_time({.max_seconds = -1});
  CHECK_THROWS(graph.cut(0, no_time), BudgetExceeded);
}

}  // namespace
