#include "graph/oriented_graph.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/large_graphs.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

template <typename Vertex>
void build(OrientedGraph<Vertex>& oriented, const Matrix& adjacent, Budget& budget) {
  const Graph graph = graph_of(adjacent);
  Pace pace(budget);
  oriented.build(graph.view(), pace);
}

// The later neighbours of v by definition, ascending by id.
template <typename Vertex>
Nodes naive_later(const OrientedGraph<Vertex>& oriented, const Matrix& adjacent, Node v) {
  Nodes later;
  for (Node u = 0; u < size_of(adjacent); ++u)
    if (adjacent[idx(v)][idx(u)] && oriented.rank(u) > oriented.rank(v)) later.push_back(u);
  return later;
}

Matrix random_graph(Random& random) {
  return random_matrix(random_between(0, 40, random), random_density(0.02, 0.9, random), random);
}

}  // namespace

TEST(later_neighbours_by_rank_are_those_of_the_order) {
  Random random(41);
  OrientedGraph<Rank> oriented;  // one for all graphs: it keeps its arrays
  for (int i = 0; i < 300; ++i) {
    const Matrix adjacent = random_graph(random);
    Budget budget;
    const ChargeScope scope(budget, oriented);
    build(oriented, adjacent, budget);
    CHECK(oriented.num_vertices() == size_of(adjacent));
    Offset end = 0;
    for (Node r = 0; r < oriented.num_vertices(); ++r) {
      const Rank rank{r};
      const Node v = oriented.vertex(rank);
      CHECK(oriented.rank(v) == rank);
      CHECK(oriented.start(rank) == end);
      const auto later = oriented.later(rank);
      CHECK(static_cast<Node>(later.size()) <= oriented.degeneracy());
      Nodes vertices;
      for (const Rank u : later) vertices.push_back(oriented.vertex(u));
      std::sort(vertices.begin(), vertices.end());
      CHECK(vertices == naive_later(oriented, adjacent, v));
      end += static_cast<Offset>(later.size());
    }
    CHECK(oriented.num_edges() == end);
  }
}

TEST(later_neighbours_by_id_are_ascending_and_outlast_the_order) {
  Random random(42);
  for (int i = 0; i < 300; ++i) {
    const Matrix adjacent = random_graph(random);
    Budget budget;
    OrientedGraph<Node> oriented(budget);
    build(oriented, adjacent, budget);
    Lists expected;
    for (Node v = 0; v < size_of(adjacent); ++v) expected.push_back(naive_later(oriented, adjacent, v));
    const Node degeneracy = oriented.degeneracy();
    const std::int64_t bytes = budget.bytes();
    oriented.forget_order();
    CHECK(budget.bytes() < bytes || adjacent.empty());
    CHECK(oriented.degeneracy() == degeneracy);
    for (Node v = 0; v < size_of(adjacent); ++v) CHECK(nodes_of(oriented.later(v)) == expected[idx(v)]);
  }
}

TEST(later_neighbours_in_a_large_graph_on_several_threads_are_those_of_the_order) {
  Random random(43);
  const Graph graph = graph_with_hubs(20000, random);
  for (const unsigned threads : kThreadCounts) {
    Budget budget;
    OrientedGraph<Rank> oriented(budget);
    oriented.build(graph.view(), threads, budget);
    CHECK(oriented.num_edges() == graph.view().num_edges());
    bool same = true;
    for (Node r = 0; r < 20000; ++r) {
      Nodes later;
      for (const Node u : graph.view()[oriented.vertex(Rank{r})])
        if (idx(oriented.rank(u)) > idx(r)) later.push_back(u);
      Nodes found;
      for (const Rank u : oriented.later(Rank{r})) found.push_back(oriented.vertex(u));
      std::sort(found.begin(), found.end());
      same = same && found == later;
    }
    CHECK(same);
  }
}
