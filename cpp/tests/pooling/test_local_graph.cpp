#include "pooling/local_graph.hpp"

#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"

using namespace cliquepool;
using namespace naive;

TEST(rows_have_as_many_words_as_searches_are_compiled_for) {
  CHECK(BitGraph::words_per_row(1) == 1);
  CHECK(BitGraph::words_per_row(64) == 1);
  CHECK(BitGraph::words_per_row(65) == 2);
  CHECK(BitGraph::words_per_row(128) == 2);
  CHECK(BitGraph::words_per_row(129) == 4);
  CHECK(BitGraph::words_per_row(256) == 4);
  CHECK(BitGraph::words_per_row(257) == 5);
}

TEST(the_first_vertices_are_a_set_of_as_many) {
  Buffer<Word> set;
  for (const Node count : {0, 1, 63, 64, 65, 128, 130}) {
    assign_first(set, 4, count);
    CHECK(members_of(set.data(), 4) == all_nodes(count));
  }
}

TEST(a_local_graph_has_the_edges_added_in_both_directions) {
  Random random(1);
  LocalGraph graph;
  for (const Node n : kSizesOfEveryWidth) {
    const Matrix adjacent = random_matrix(n, random_density(0.1, 0.9, random), random);
    const Nodes weights = random_weights(n, n % 2 == 0 ? 1 : 3, random);
    fill(graph, adjacent, weights);
    CHECK(graph.size == n + 1);
    CHECK(graph.unit_weights() == (weights == ones(n)));
    CHECK(members_of(graph.live(), graph.words).size() == idx(n));
    CHECK(!test_bit(graph.live(), 0));
    for (Node v = 0; v < n; ++v) {
      CHECK(graph.weight[idx(v) + 1] == weights[idx(v)]);
      CHECK(!test_bit(graph.row(v + 1), 0));
      for (Node u = 0; u < n; ++u) CHECK(test_bit(graph.row(v + 1), u + 1) == adjacent[idx(v)][idx(u)]);
    }
  }
}

TEST(a_removed_vertex_is_not_live) {
  LocalGraph graph;
  fill(graph, complete(70), ones(70));
  graph.remove(1);
  graph.remove(70);
  const Nodes live = members_of(graph.live(), graph.words);
  CHECK(live.size() == 68);
  CHECK(!contains(live, 1));
  CHECK(!contains(live, 70));
}

TEST(a_restored_graph_is_the_one_that_was_filled) {
  Random random(2);
  LocalGraph filled;
  LocalGraph restored;
  for (const Node n : {1, 2, 30, 63}) {
    const Nodes weights = random_weights(n, 3, random);
    fill(filled, random_matrix(n, 0.5, random), weights);
    const Word live = *filled.live() & ~Word{2};
    restored.restore(filled.rows.span().subspan(1), live, [&](Node v) { return weights[idx(v) - 1]; });
    CHECK(restored.size == filled.size);
    CHECK(check::equal(restored.rows.span(), filled.rows.span()));
    CHECK(*restored.live() == live);
    for (Node v = 2; v <= n; ++v) CHECK(restored.weight[idx(v)] == weights[idx(v) - 1]);
  }
}

TEST(only_live_vertices_count_for_unit_weights_of_a_restored_graph) {
  LocalGraph graph;
  const Word rows[] = {0, 0};
  const auto weight_of = [](Node v) { return v; };
  graph.restore(rows, 0b010, weight_of);
  CHECK(graph.unit_weights());
  graph.restore(rows, 0b110, weight_of);
  CHECK(!graph.unit_weights());
}

TEST(in_degeneracy_order_each_vertex_has_fewest_neighbours_among_those_before_it) {
  Random random(3);
  Budget budget;
  Pace pace(budget);
  Effort effort;
  effort.begin(1 << 30, pace);
  LocalGraph graph;
  for (const Node n : kSizesOfEveryWidth) {
    const Matrix adjacent = random_matrix(n, random_density(0.1, 0.9, random), random);
    fill(graph, adjacent, ones(n));
    const Nodes order = nodes_of(graph.degeneracy_order(effort));
    CHECK(order.size() == idx(n));
    for (std::size_t end = order.size(); end > 0; --end) {
      const auto degree = [&](std::size_t i) {
        Node neighbours = 0;
        for (std::size_t j = 0; j < end; ++j) neighbours += adjacent[idx(order[i]) - 1][idx(order[j]) - 1];
        return neighbours;
      };
      const Node last = degree(end - 1);
      for (std::size_t i = 0; i < end; i += 7) CHECK(degree(i) >= last);
    }
  }
}
