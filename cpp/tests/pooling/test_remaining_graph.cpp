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
    Pace pace(budget);
    graph.build({whole.view(), weights}, flags, pace);
    const auto colour_bounds = graph.colour(pace);
    bounds.assign(colour_bounds.begin(), colour_bounds.end());
    for (Node v = 0; v < size_of(adjacent); ++v)
      if (flags[idx(v)] == 0) live[idx(v)] = false;
  }
  void remove_some(Random& random) {
    for (Node v = 0; v < size_of(adjacent); ++v) {
      if (random_between(0, 5, random) > 0) continue;
      live[idx(v)] = false;
      graph.remove({&v, 1});
    }
  }
  Nodes later_ids(Rank v) const {
    Nodes ids;
    for (const Rank u : graph.later(v)) ids.push_back(graph.vertex(u));
    return ids;
  }
  // The heaviest clique of v and its listed later neighbours, by a naive search.
  Node max_weight_from(Rank v) const {
    std::vector<bool> among(adjacent.size());
    for (const Node u : later_ids(v)) among[idx(u)] = true;
    CliqueSearch search(adjacent, weights);
    search.heaviest(among);
    return graph.weight(v) + search.weight();
  }

  Matrix adjacent;
  Nodes weights;
  std::vector<bool> live;
  Budget budget;
  RemainingGraph graph;
  Nodes bounds;
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

TEST(bounds_by_colours_are_upper_bounds) {
  for_random_graphs(91, [](Remaining& remaining, Random& random) {
    RemainingGraph& graph = remaining.graph;
    for (Node r = 0; r < graph.num_vertices(); ++r) {
      CHECK(remaining.bounds[idx(r)] >= remaining.max_weight_from(Rank{r}));
      CHECK(graph.bound_by_colours(Rank{r}) == remaining.bounds[idx(r)]);
    }
    remaining.remove_some(random);
    for (Node r = 0; r < graph.num_vertices(); ++r) {
      graph.refresh_later(Rank{r});
      const Node bound = graph.bound_by_colours(Rank{r});
      CHECK(bound >= remaining.max_weight_from(Rank{r}));
      CHECK(bound <= remaining.bounds[idx(r)]);
    }
  });
}

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
      graph.build_rows(v, index_of);
      CHECK(graph.has_rows(v));
    }
    CHECK(std::count(index_of.begin(), index_of.end(), 0) == graph.num_vertices());
    remaining.remove_some(random);
    for (Node r = 0; r < graph.num_vertices(); ++r) {
      const Nodes later = remaining.later_ids(Rank{r});
      const auto rows = graph.rows(Rank{r});
      CHECK(rows.size() == later.size());
      for (std::size_t i = 0; i < later.size(); ++i) {
        CHECK(((graph.live_in_rows(Rank{r}) >> (i + 1)) & 1) == remaining.live[idx(later[i])]);
        for (std::size_t j = 0; j < later.size(); ++j)
          CHECK(((rows[i] >> (j + 1)) & 1) == remaining.adjacent[idx(later[i])][idx(later[j])]);
      }
    }
  });
}
