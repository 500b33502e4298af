#include "hierarchy/closed_cover.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "hierarchy/coarsening.hpp"
#include "pooling/pooler.hpp"
#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// N[S] by definition.
Nodes closed_neighbourhood(const Matrix& adjacent, const Nodes& set) {
  Nodes covered;
  for (Node u = 0; u < size_of(adjacent); ++u)
    if (std::any_of(set.begin(), set.end(), [&](Node v) { return u == v || adjacent[idx(u)][idx(v)]; }))
      covered.push_back(u);
  return covered;
}

Nodes sorted(std::span<const Node> nodes) {
  Nodes all = nodes_of(nodes);
  std::sort(all.begin(), all.end());
  return all;
}

// Adds random vertices and takes them back, in random steps.
void check_covers(const Matrix& adjacent, const LevelRows& rows, ClosedCover& cover, Random& random) {
  Budget budget;
  const ChargeScope scope(budget, cover);
  Pace pace(budget);
  cover.reset(rows);
  std::vector<Nodes> steps{{}};
  const auto check = [&] { CHECK(sorted(cover.members()) == closed_neighbourhood(adjacent, steps.back())); };
  check();
  for (int i = 0; i < 20; ++i) {
    if (steps.size() > 1 && random_between(0, 2, random) == 0) {
      steps.pop_back();
      cover.pop();
    } else {
      const Node v = random_between(0, size_of(adjacent) - 1, random);
      steps.push_back(steps.back());
      steps.back().push_back(v);
      cover.push(v, pace);
    }
    check();
  }
}

}  // namespace

TEST(covers_of_stored_rows_grow_and_shrink_as_defined) {
  Random random(1);
  ClosedCover cover;
  for (const Node n : {1, 5, 70}) {
    const Matrix adjacent = random_matrix(n, 0.1, random);
    const Graph graph = graph_of(adjacent);
    check_covers(adjacent, graph.view(), cover, random);
  }
}

// The second and third level are implied, one by the other.
TEST(covers_of_implied_rows_are_those_of_the_coarse_graph) {
  Random random(2);
  ClosedCover cover;
  for (int i = 0; i < 20; ++i) {
    Budget budget;
    const Graph bottom = graph_of(random_matrix(random_between(10, 40, random), 0.12, random));
    Coarsener coarsener;
    LevelRows rows = bottom.view();
    Graph graph = graph_of(matrix_of(bottom.view()));
    Buffer<Node> sizes;
    std::vector<std::unique_ptr<ImpliedLevel>> levels;
    for (int level = 0; level < 2; ++level) {
      Ragged pools;
      Pooler().run({graph.view(), sizes.span()}, {}, budget, pools);
      TwinLevel stored;
      TwinLevel implied;
      coarsener.run(graph.view(), pools.view(), {}, budget, stored);
      auto next = coarsener.run(rows, pools.view(), {.may_imply = true, .most_stored = 0}, budget, implied);
      CHECK((next == nullptr) == stored.quotient.neighbours.empty());
      if (next == nullptr) break;
      CHECK(next->has_edges());
      for (Node c = 0; c < stored.quotient.view().num_nodes(); ++c)
        CHECK(next->rows().degrees[idx(c)] == stored.quotient.view().degree(c));
      check_covers(matrix_of(stored.quotient.view()), LevelRows(next->rows()), cover, random);
      rows = LevelRows(next->rows());
      levels.push_back(std::move(next));
      graph = std::move(stored.quotient);
      sizes = std::move(stored.sizes);
    }
  }
}
