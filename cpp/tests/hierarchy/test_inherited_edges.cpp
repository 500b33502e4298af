#include "hierarchy/inherited_edges.hpp"

#include <cstdint>
#include <vector>

#include "graph/twins.hpp"
#include "pooling/pooler.hpp"
#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

using Counts = std::vector<std::int64_t>;

Ragged ragged_of(const Lists& lists) {
  Ragged ragged;
  for (const Nodes& list : lists) ragged.append(list);
  return ragged;
}

// The counts for pools of classes of the given sizes, aligned with the neighbours of the coarse graph.
Counts counts_of(const Matrix& quotient, const Nodes& sizes, const Lists& pools, const Matrix& coarse) {
  const Graph graph = graph_of(quotient);
  const Graph coarse_graph = graph_of(coarse);
  Budget budget;
  const auto counts = count_inherited_edges(graph.view(), sizes, ragged_of(pools).view(), coarse_graph.view(), budget);
  return {counts.begin(), counts.end()};
}

}  // namespace

TEST(edge_of_disjoint_pools_counts_the_edges_between_them) {
  // The triangles 0 1 2 and 3 4 5, joined by two edges.
  const Matrix adjacent = matrix_of(6, {{0, 1}, {0, 2}, {1, 2}, {3, 4}, {3, 5}, {4, 5}, {0, 3}, {1, 3}});
  CHECK(counts_of(adjacent, ones(6), {{0, 1, 2}, {3, 4, 5}}, complete(2)) == Counts{2, 2});
}

TEST(edge_of_overlapping_pools_counts_pairs_of_a_node_of_each) {
  // On the path 0-1-2, (Sᵀ A S) of {0, 1} and {1, 2} has the pairs (0, 1) and (1, 2).
  CHECK(counts_of(path(3), ones(3), {{0, 1}, {1, 2}}, complete(2)) == Counts{2, 2});
}

TEST(twin_classes_count_with_their_sizes) {
  // Classes of 2, 3 and 1 twins on a path: 2 * 3 edges between the first two, 3 * 1 between the others, and 3 * 2
  // within the second one, which both pools contain.
  CHECK(counts_of(path(3), {2, 3, 1}, {{0, 1}, {1, 2}}, complete(2)) == Counts{6 + 6 + 3, 6 + 6 + 3});
}

TEST(counts_beyond_32_bits_are_exact) {
  constexpr Node kMany = 100'000;
  CHECK(counts_of(path(2), {kMany, kMany}, {{0}, {1}}, complete(2)) ==
        Counts(2, std::int64_t{kMany} * std::int64_t{kMany}));
}

TEST(no_edges_are_counted_without_a_coarse_edge) {
  CHECK(counts_of(complete(3), ones(3), {{0, 1, 2}}, complete(1)).empty());
  CHECK(counts_of({}, {}, {}, {}).empty());
}

TEST(inherited_edges_are_those_of_the_matrix_product) {
  Random random(5);
  for (int i = 0; i < 20; ++i) {
    const Node n = random_between(1, 60, random);
    const Matrix adjacent = random_matrix(n, random_density(0.05, 0.3, random), random);
    const Graph graph = graph_of(adjacent);
    Budget budget;
    Ragged pools;
    Pooler().run(graph.view(), {}, budget, pools);
    const Lists lists = lists_of(pools.view());
    const Matrix coarse = coarse_matrix(adjacent, lists);
    Counts expected;
    for (std::size_t p = 0; p < lists.size(); ++p) {
      for (std::size_t q = 0; q < lists.size(); ++q) {
        if (!coarse[p][q]) continue;
        std::int64_t& count = expected.emplace_back(0);
        for (const Node u : lists[p])
          for (const Node v : lists[q]) count += adjacent[idx(u)][idx(v)];
      }
    }
    CHECK(counts_of(adjacent, ones(n), lists, coarse) == expected);
  }
}

TEST(limit_on_bytes_ends_the_counting_of_inherited_edges) {
  const Graph graph = graph_of(path(3));
  const Graph coarse = graph_of(complete(2));
  const Ragged pools = ragged_of({{0, 1}, {1, 2}});
  Budget budget({.max_bytes = 10});
  CHECK_THROWS(count_inherited_edges(graph.view(), ones(3), pools.view(), coarse.view(), budget), BudgetExceeded);
}
