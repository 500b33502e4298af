#include "pooling/colour_bounds.hpp"

#include "tests/check.hpp"
#include "tests/large_graphs.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

struct Coloured {
  Coloured(const WeightedGraph& whole, unsigned threads) {
    graph.bind(budget);
    colours.bind(budget);
    const std::vector<unsigned char> live(idx(whole.num_nodes()), 1);
    graph.build(whole, live, 1, budget);
    colours.colour(graph, threads, budget);
  }
  ~Coloured() {
    colours.unbind();
    graph.unbind();
  }

  Budget budget;
  RemainingGraph graph;
  ColourBounds colours;
};

// The heaviest clique of v and its listed later neighbours, by a naive search.
Node max_weight_from(Rank v, const RemainingGraph& graph, const Matrix& adjacent, const Nodes& weights) {
  std::vector<bool> among(adjacent.size());
  for (const Rank u : graph.later(v)) among[idx(graph.vertex(u))] = true;
  CliqueSearch search(adjacent, weights);
  search.heaviest(among);
  return graph.weight(v) + search.weight();
}

}  // namespace

TEST(bounds_by_colours_are_upper_bounds) {
  Random random(91);
  for (int i = 0; i < 100; ++i) {
    const Node n = random_between(1, 60, random);
    const Matrix adjacent = random_matrix(n, random_density(0.05, 0.5, random), random);
    const Nodes weights = random_weights(n, 4, random);
    const Graph whole = graph_of(adjacent);
    Coloured coloured({whole.view(), weights}, 1);
    RemainingGraph& graph = coloured.graph;
    const auto initial = coloured.colours.initial_bounds();
    for (Node r = 0; r < n; ++r) {
      CHECK(initial[idx(r)] >= max_weight_from(Rank{r}, graph, adjacent, weights));
      CHECK(coloured.colours.bound(graph, Rank{r}, 0) == initial[idx(r)]);
    }
    for (Node v = 0; v < n; ++v)
      if (random_between(0, 5, random) == 0) graph.remove({&v, 1}, 1, coloured.budget);
    for (Node r = 0; r < n; ++r) {
      graph.refresh_later(Rank{r});
      const Node bound = coloured.colours.bound(graph, Rank{r}, 0);
      CHECK(bound >= max_weight_from(Rank{r}, graph, adjacent, weights));
      CHECK(bound <= initial[idx(r)]);
    }
  }
}

TEST(any_number_of_threads_gives_the_same_colours) {
  Random random(92);
  const Graph whole = graph_with_hubs(20000, random);
  const Coloured one(whole.view(), 1);
  for (const unsigned threads : kThreadCounts) {
    Coloured many(whole.view(), threads);
    bool same = true;
    for (Node r = 0; r < whole.view().num_nodes(); ++r)
      same = same && many.colours.initial_bounds()[idx(r)] == one.colours.initial_bounds()[idx(r)];
    CHECK(same);
    CHECK(many.colours.bound(many.graph, Rank{0}, threads - 1) == one.colours.initial_bounds()[0]);
  }
}

TEST(colours_release_their_memory) {
  Budget budget;
  ColourBounds colours;
  RemainingGraph graph;
  const Graph whole = graph_of(complete(70));
  const std::vector<unsigned char> live(70, 1);
  {
    const ChargeScope scope(budget, graph, colours);
    graph.build(whole.view(), live, 2, budget);
    colours.colour(graph, 2, budget);
    CHECK(colours.initial_bounds().front() == 70);
    colours.forget_initial_bounds();
    CHECK(colours.initial_bounds().empty());
  }
  CHECK(budget.bytes() == 0);
}

TEST(more_colours_than_a_byte_holds_are_told_apart) {
  for (const Node n : {254, 255, 256, 257, 400}) {
    const Graph whole = graph_of(complete(n));
    Coloured coloured(whole.view(), 2);
    for (Node r = 0; r < n; ++r) {
      CHECK(coloured.colours.initial_bounds()[idx(r)] == n - r);
      CHECK(coloured.colours.bound(coloured.graph, Rank{r}, 1) == n - r);
    }
  }
}
