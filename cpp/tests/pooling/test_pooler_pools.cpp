#include "pooling/pooler.hpp"

#include <algorithm>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/pooling_cases.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// B, the nodes below `b`, each joined to all of A, the `a` nodes from there on, the first of which are a clique.
Graph bipartite_with_clique(Node a, Node b, Node clique) {
  Graph graph;
  graph.offsets.push_back(0);
  for (Node v = 0; v < a + b; ++v) {
    const bool in_a = v >= b;
    for (Node u = in_a ? 0 : b; u < (in_a ? b : a + b); ++u) graph.neighbours.push_back(u);
    for (Node u = b; in_a && v < b + clique && u < b + clique; ++u)
      if (u != v) graph.neighbours.push_back(u);
    graph.offsets.push_back(static_cast<Offset>(graph.neighbours.size()));
  }
  return graph;
}
Nodes with_range(Node first, Node from, Node to) {
  Nodes nodes{first};
  for (Node v = from; v < to; ++v) nodes.push_back(v);
  return nodes;
}
// The maximal cliques of `adjacent`, most unassigned nodes first, again and again: the rule of SPEC.md to the letter.
Lists pools_by_the_letter(const Matrix& adjacent) {
  const Lists cliques = cliques_by_subsets(adjacent);
  Lists maximal;
  for (const Nodes& clique : cliques) {
    const auto extends = [&](const Nodes& other) {
      return other.size() > clique.size() && std::includes(other.begin(), other.end(), clique.begin(), clique.end());
    };
    if (std::none_of(cliques.begin(), cliques.end(), extends)) maximal.push_back(clique);
  }
  Lists pools;
  for (;;) {
    std::size_t most = 0;
    for (const Nodes& clique : maximal) most = std::max(most, clique.size());
    if (most == 0) break;
    Lists chosen;
    for (const Nodes& clique : maximal)
      if (clique.size() == most) chosen.push_back(clique);
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    pools.insert(pools.end(), chosen.begin(), chosen.end());
    for (const Nodes& pool : chosen)
      for (const Node v : pool)
        for (Nodes& clique : maximal) std::erase(clique, v);
  }
  return pools;
}

}  // namespace

TEST(pools_of_all_graphs_of_up_to_six_nodes_are_those_of_the_rule_to_the_letter) {
  Pooler pooler;
  for (Node n = 0; n <= 6; ++n) {
    const Node pairs = n * (n - 1) / 2;
    for (std::uint32_t edges = 0; edges < 1U << pairs; ++edges) {
      std::uint32_t left = edges;
      const Matrix adjacent = matrix(n, [&](Node, Node) { return (std::exchange(left, left >> 1) & 1) != 0; });
      CHECK(pool(pooler, adjacent, {}) == pools_by_the_letter(adjacent));
    }
  }
}

TEST(pools_of_small_graphs_are_the_naive_ones) {
  Random random(1);
  Pooler pooler;
  for (int i = 0; i < 4000; ++i) {
    const Node n = random_between(0, 11, random);
    const Matrix adjacent = random_matrix(n, random_density(0.05, 0.95, random), random);
    const Lists expected = pools_by_subsets(adjacent, ones(n));
    CHECK(pool(pooler, adjacent, {}) == expected);
    CHECK(pool(pooler, adjacent, ones(n)) == expected);
    const Node heaviest = i % 4 == 0 ? 2 : i % 4 == 1 ? 5 : i % 4 == 2 ? 40 : kHeavy;
    const Nodes weights = random_weights(n, heaviest, random);
    CHECK(pool(pooler, adjacent, weights) == pools_by_subsets(adjacent, weights));
  }
  for (int i = 0; i < 60; ++i) {
    const Node n = random_between(12, 16, random);
    const Matrix adjacent = random_matrix(n, random_density(0.05, 0.9, random), random);
    const Nodes weights = random_weights(n, i % 3 == 0 ? 1 : 6, random);
    CHECK(pool(pooler, adjacent, weights) == pools_by_subsets(adjacent, weights));
  }
}

// Up to 63 vertices are pooled at once, more of them vertex by vertex.
TEST(pools_are_the_naive_ones_on_both_sides_of_a_machine_word) {
  Random random(2);
  Pooler pooler;
  for (int i = 0; i < 150; ++i) {
    const Node n = random_between(56, 70, random);
    const Matrix adjacent = random_matrix(n, random_density(0.02, 0.35, random), random);
    const Nodes weights = random_weights(n, i % 2 == 0 ? 1 : 5, random);
    CHECK(pool(pooler, adjacent, weights) == pools_by_search(adjacent, weights));
  }
}

TEST(pools_of_random_graphs_beyond_a_word_are_the_naive_ones) {
  Random random(3);
  Pooler pooler;
  for (int i = 0; i < 240; ++i) {
    const Node n = random_between(64, 120, random);
    const Matrix adjacent = random_matrix(n, random_density(0.01, i % 8 == 0 ? 0.4 : 0.2, random), random);
    const Lists expected = pools_by_search(adjacent, ones(n));
    CHECK(pool(pooler, adjacent, {}) == expected);
    const Node heaviest = i % 4 == 0 ? 2 : i % 4 == 1 ? 5 : i % 4 == 2 ? 3 : kHeavy;
    const Nodes weights = random_weights(n, heaviest, random);
    CHECK(pool(pooler, adjacent, weights) == pools_by_search(adjacent, weights));
  }
}

TEST(pools_of_small_graphs_side_by_side_are_those_of_each) {
  Random random(4);
  Pooler pooler;
  for (int i = 0; i < 600; ++i) {
    const Node heaviest = i % 5 == 0 ? 1 : i % 5 == 1 ? 2 : i % 5 == 2 ? 3 : i % 5 == 3 ? 5 : kHeavy;
    const Case given = random_union(random_between(20, 130, random), heaviest, random);
    CHECK(pool(pooler, given.adjacent, given.weights) == given.pools);
  }
}

TEST(pools_with_a_few_huge_weights_among_light_ones_are_the_naive_ones) {
  Random random(5);
  Pooler pooler;
  for (int i = 0; i < 150; ++i) {
    const Node n = random_between(64, 90, random);
    const Matrix adjacent = random_matrix(n, random_density(0.02, 0.2, random), random);
    Nodes weights = random_weights(n, 3, random);
    for (int huge = 0; huge < 6; ++huge)
      weights[idx(random_between(0, n - 1, random))] = kHuge + random_between(0, 1, random);
    CHECK(pool(pooler, adjacent, weights) == pools_by_search(adjacent, weights));
  }
}

TEST(pools_of_graphs_with_planted_cliques_are_the_naive_ones) {
  Random random(6);
  Pooler pooler;
  for (int i = 0; i < 100; ++i) {
    const Node n = random_between(64, 110, random);
    Matrix adjacent = random_matrix(n, random_density(0.02, 0.15, random), random);
    for (int planted = 0; planted < 4; ++planted) {
      const Nodes order = random_order(n, random);
      const Node size = random_between(5, 12, random);
      for (Node a = 0; a < size; ++a)
        for (Node b = 0; b < size; ++b)
          if (a != b) adjacent[idx(order[idx(a)])][idx(order[idx(b)])] = true;
    }
    const Nodes weights = random_weights(n, i % 2 == 0 ? 1 : 4, random);
    CHECK(pool(pooler, adjacent, weights) == pools_by_search(adjacent, weights));
  }
}

// Local graphs of more than 64, 128 and 256 vertices.
TEST(pools_of_dense_graphs_of_every_width_are_the_product_of_their_parts) {
  Random random(7);
  Pooler pooler;
  for (const Node size : {40, 63, 64, 65, 70, 90, 127, 130, 140, 200, 255, 258, 270, 330}) {
    for (const Node heaviest : {1, 2, kHeavy}) {
      const Case given = random_join(size, 5, 7, heaviest, random);
      CHECK(pool(pooler, given.adjacent, given.weights) == given.pools);
    }
  }
}

TEST(pools_of_dense_graphs_with_many_parts_are_the_product_of_their_parts) {
  Random random(8);
  Pooler pooler;
  for (int i = 0; i < 12; ++i) {
    const Case given = random_join(70 + 5 * i, 10 + i, 5, kHeavy, random);
    CHECK(pool(pooler, given.adjacent, given.weights) == given.pools);
  }
}

// In the complement of a matching the heavier of each pair is pooled first, or both of them, if they tie.
TEST(pools_of_the_complement_of_a_matching_are_known) {
  Pooler pooler;
  for (const Node pairs : {20, 33, 70, 140}) {
    const Node n = 2 * pairs;
    const Matrix adjacent = matrix(n, [](Node u, Node v) { return u / 2 != v / 2; });
    const Node ties = 4;
    Nodes weights;
    Nodes heavy;
    Nodes light;
    for (Node p = 0; p < pairs; ++p) {
      const bool tie = p < ties;
      weights.push_back(tie ? 5 : 1 + p % 4);
      weights.push_back(tie ? 5 : 5 + p % 3);
      if (!tie) {
        light.push_back(2 * p);
        heavy.push_back(2 * p + 1);
      }
    }
    Lists expected;
    for (Node choice = 0; choice < 1 << ties; ++choice) {
      Nodes& clique = expected.emplace_back(heavy);
      for (Node p = 0; p < ties; ++p) clique.push_back(2 * p + ((choice >> p) & 1));
    }
    expected.push_back(light);
    CHECK(pool(pooler, adjacent, weights) == canonical(expected, weights));
  }
}

// The complement of a path of 2 m nodes has m + 1 largest cliques, that of 2 m + 1 nodes one: every other node.
TEST(pools_of_the_complement_of_paths_are_known) {
  Pooler pooler;
  for (const Node odd_paths : {2, 4, 7}) {
    for (const Node length : {21, 35, 45}) {
      const Node even = 10;
      const Node n = odd_paths * length + even;
      const Matrix adjacent =
          matrix(n, [&](Node u, Node v) { return v != u + 1 || (u < n - even && v % length == 0); });
      Nodes outer;
      Nodes inner;
      for (Node v = 0; v < n - even; ++v) (v % length % 2 == 0 ? outer : inner).push_back(v);
      Lists expected;
      for (Node shift = 0; shift <= even / 2; ++shift) {
        Nodes& clique = expected.emplace_back(outer);
        for (Node i = 0; i < even / 2; ++i) clique.push_back(n - even + 2 * i + (i >= shift ? 1 : 0));
      }
      expected.push_back(inner);
      CHECK(pool(pooler, adjacent, {}) == canonical(expected, ones(n)));
    }
  }
}

// All nodes of B are joined to all of A, a part P of which is a clique: local graphs of more than a thousand vertices,
// of which nearly all are too poor to be searched.
TEST(pools_around_a_large_bipartite_graph_are_known) {
  const Node a = 1100;
  const Node b = 1100;
  const Node planted = 30;
  const Graph graph = bipartite_with_clique(a, b, planted);
  // Of weight two: the last ten of B, the clique's first, and the last of A.
  Nodes weights = ones(a + b);
  for (Node v = b - 10; v < b; ++v) weights[idx(v)] = 2;
  weights[idx(b)] = weights[idx(a + b - 1)] = 2;

  Lists expected;
  Lists expected_weighted;
  for (Node v = 0; v < b; ++v) expected.push_back(with_range(v, b, b + planted));
  for (Node v = b + planted; v < a + b; ++v) expected.push_back({v});
  for (Node v = b - 10; v < b; ++v) expected_weighted.push_back(with_range(v, b, b + planted));
  for (Node v = 0; v < b - 10; ++v) expected_weighted.push_back({v, a + b - 1});
  for (Node v = b + planted; v < a + b - 1; ++v) expected_weighted.push_back({v});

  Pooler pooler;
  Budget budget;
  Ragged pools;
  pooler.run(graph.view(), {}, budget, pools);
  CHECK(lists_of(pools.view()) == canonical(expected, ones(a + b)));
  pooler.run({graph.view(), weights}, {.threads = 2}, budget, pools);
  CHECK(lists_of(pools.view()) == canonical(expected_weighted, weights));
}

// The same with a clique so large that what is left after the poor ones went is thinned once more.
TEST(pools_around_a_large_clique_with_many_poor_neighbours_are_known) {
  const Node a = 1430;
  const Node b = 1430;
  const Node planted = 1030;
  const Graph graph = bipartite_with_clique(a, b, planted);
  Nodes weights = ones(a + b);
  weights[0] = weights[idx(a + b - 1)] = 2;
  Lists expected{with_range(0, b, b + planted)};
  for (Node v = 1; v < b; ++v) expected.push_back({v, a + b - 1});
  for (Node v = b + planted; v < a + b - 1; ++v) expected.push_back({v});
  Pooler pooler;
  Budget budget;
  Ragged pools;
  pooler.run({graph.view(), weights}, {}, budget, pools);
  CHECK(lists_of(pools.view()) == canonical(expected, weights));
}

TEST(pools_of_a_nearly_complete_graph_of_a_thousand_nodes_are_known) {
  const Node n = 1100;
  const Graph graph = graph_of(matrix(n, [](Node u, Node v) { return u / 2 != v / 2 || u >= 6; }));
  Pooler pooler;
  Budget budget;
  Ragged pools;
  pooler.run(graph.view(), {}, budget, pools);
  CHECK(pools.size() == 8);
  Lists expected;
  for (Node choice = 0; choice < 8; ++choice) {
    Nodes& clique = expected.emplace_back(idx(n - 6));
    std::iota(clique.begin(), clique.end(), 6);
    for (Node p = 0; p < 3; ++p) clique.push_back(2 * p + ((choice >> p) & 1));
  }
  CHECK(lists_of(pools.view()) == canonical(expected, ones(n)));
}

TEST(pools_of_graphs_without_edges_or_of_one_clique) {
  Pooler pooler;
  CHECK(pool(pooler, {}, {}).empty());
  for (const Node n : {1, 2, 63, 64, 65, 200}) {
    Lists singles;
    for (Node v = 0; v < n; ++v) singles.push_back({v});
    CHECK(pool(pooler, matrix(n, [](Node, Node) { return false; }), {}) == singles);
    Nodes all(idx(n));
    std::iota(all.begin(), all.end(), 0);
    CHECK(pool(pooler, complete(n), {}) == Lists{all});
  }
}
