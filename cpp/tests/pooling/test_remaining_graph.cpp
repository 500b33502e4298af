#include "pooling/remaining_graph.hpp"

#include <algorithm>
#include <bit>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// A graph with some vertices removed, before it was built or after.
struct Remaining {
  Remaining(const Matrix& given, Random& random)
      : adjacent(given), weights(random_weights(size_of(given), 4, random)), live(given.size(), true) {
    graph.bind(budget);
    std::vector<unsigned char> flags(adjacent.size(), 1);
    for (Node v = 0; v < size_of(adjacent); ++v)
      if (random_between(0, 5, random) == 0) flags[idx(v)] = 0;
    const Graph whole = graph_of(adjacent);
    graph.build({whole.view(), weights}, flags, 1, budget);
    for (Node v = 0; v < size_of(adjacent); ++v)
      if (flags[idx(v)] == 0) live[idx(v)] = false;
  }
  void remove_some(Random& random) {
    for (Node v = 0; v < size_of(adjacent); ++v) {
      if (random_between(0, 5, random) > 0) continue;
      live[idx(v)] = false;
      graph.remove({&v, 1}, 1, budget);
    }
  }
  Nodes later_ids(Rank v) const {
    Nodes ids;
    for (const Rank u : graph.later(v)) ids.push_back(graph.vertex(u));
    return ids;
  }

  Matrix adjacent;
  Nodes weights;
  std::vector<bool> live;
  Budget budget;
  RemainingGraph graph;
};

template <typename Body>
void for_random_graphs(unsigned seed, Body&& body) {
  Random random(seed);
  for (int i = 0; i < 100; ++i) {
    const Node n = random_between(1, 60, random);
    Remaining remaining(random_matrix(n, random_density(0.05, 0.5, random), random), random);
    body(remaining, random);
  }
}

}  // namespace

TEST(refreshed_lists_hold_the_live_later_neighbours_by_falling_rank_once_sorted) {
  for_random_graphs(92, [](Remaining& remaining, Random& random) {
    RemainingGraph& graph = remaining.graph;
    remaining.remove_some(random);
    for (Node r = 0; r < graph.num_vertices(); ++r) {
      const Rank v{r};
      CHECK(graph.is_live(v) == remaining.live[idx(graph.vertex(v))]);
      CHECK(graph.weight(v) == remaining.weights[idx(graph.vertex(v))]);
      graph.refresh_later(v);
      graph.sort_later(v);
      Nodes expected;
      for (Node other = graph.num_vertices(); --other > r;) {
        const Node u = graph.vertex(Rank{other});
        if (remaining.live[idx(u)] && remaining.adjacent[idx(graph.vertex(v))][idx(u)]) expected.push_back(u);
      }
      CHECK(remaining.later_ids(v) == expected);
    }
  });
}

TEST(rows_are_the_edges_between_later_neighbours) {
  for_random_graphs(93, [](Remaining& remaining, Random& random) {
    RemainingGraph& graph = remaining.graph;
    std::vector<unsigned char> index_of(idx(graph.num_vertices()));
    for (Node r = 0; r < graph.num_vertices(); ++r) {
      const Rank v{r};
      CHECK(!graph.has_rows(v));
      graph.refresh_later(v);
      graph.sort_later(v);
      std::vector<Word> rows(graph.later(v).size());
      graph.build_rows(v, index_of, rows, 0);
      CHECK(graph.has_rows(v));
    }
    CHECK(std::count(index_of.begin(), index_of.end(), 0) == graph.num_vertices());
    remaining.remove_some(random);
    for (Node r = 0; r < graph.num_vertices(); ++r) {
      const Nodes later = remaining.later_ids(Rank{r});
      std::vector<Word> rows(later.size());
      graph.load_rows(Rank{r}, rows);
      for (std::size_t i = 0; i < later.size(); ++i) {
        CHECK(((graph.live_in_rows(Rank{r}) >> (i + 1)) & 1) == remaining.live[idx(later[i])]);
        for (std::size_t j = 0; j < later.size(); ++j)
          CHECK(((rows[i] >> (j + 1)) & 1) == remaining.adjacent[idx(later[i])][idx(later[j])]);
      }
    }
  });
}
