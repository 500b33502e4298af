#include "pooling/vertex_search.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// Searches every vertex of a graph for its heaviest cliques of all.
class SearchOfAll {
 public:
  SearchOfAll(const Matrix& adjacent, const Nodes& weights) : adjacent_(adjacent), weights_(weights) {
    const ChargeScope scope(budget_, graph_, search_);
    const Graph whole = graph_of(adjacent);
    const std::vector<unsigned char> live(adjacent.size(), 1);
    Pace pace(budget_);
    graph_.build({whole.view(), weights}, live, 1, budget_);
    search_.begin(graph_, found_);
    const Node heaviest = weight_of(heaviest_cliques(adjacent, weights).front(), weights);
    for (Node r = 0; r < graph_.num_vertices(); ++r) search(Rank{r}, heaviest, pace);
  }
  Lists found() const { return canonical(lists_of(found_.lists.view()), weights_); }

 private:
  void search(Rank v, Node heaviest, Pace& pace) {
    const Offset before = found_.lists.size();
    const Node max_weight = max_weight_from(v);
    if (graph_.later(v).empty() && graph_.weight(v) < heaviest) return;  // its bound says so
    if (search_.triangles_and_smaller(v, heaviest)) {
      CHECK(heaviest <= 3 || graph_.later(v).empty());
    } else {
      graph_.sort_later(v);
      const Node bound = search_.search_vertex(v, heaviest, pace);
      CHECK(bound >= max_weight);
      CHECK((bound == heaviest) == (max_weight == heaviest));
    }
    found_.list_triangles();
    CHECK((found_.lists.size() > before) == (max_weight == heaviest));
    for (Offset i = before; i < found_.lists.size(); ++i) CHECK(found_.lists[i].front() == graph_.vertex(v));
  }
  Node max_weight_from(Rank v) const {
    std::vector<bool> among(adjacent_.size());
    for (const Rank u : graph_.later(v)) among[idx(graph_.vertex(u))] = true;
    CliqueSearch search(adjacent_, weights_);
    search.heaviest(among);
    return graph_.weight(v) + search.weight();
  }

  const Matrix& adjacent_;
  const Nodes& weights_;
  Budget budget_;
  RemainingGraph graph_;
  FoundCliques found_;
  VertexSearch search_;
};

}  // namespace

TEST(searches_of_all_vertices_find_all_heaviest_cliques_each_at_its_leader) {
  Random random(101);
  for (int i = 0; i < 150; ++i) {
    const Node n = random_between(1, 80, random);
    const Matrix adjacent = random_matrix(n, random_density(0.02, n > 40 ? 0.25 : 0.7, random), random);
    const Nodes weights = random_weights(n, i % 3 + 1, random);
    CHECK(SearchOfAll(adjacent, weights).found() == heaviest_cliques(adjacent, weights));
  }
}

TEST(searches_find_triangles_pairs_and_single_vertices_of_weight_three) {
  Random random(102);
  for (int i = 0; i < 150; ++i) {
    // Few edges, and no clique heavier than a triangle.
    const Node n = random_between(4, 30, random);
    Matrix adjacent = random_matrix(n, 0.1, random);
    Nodes weights = random_weights(n, 3, random);
    if (weight_of(heaviest_cliques(adjacent, weights).front(), weights) > 3) weights = ones(n);
    CHECK(SearchOfAll(adjacent, weights).found() == heaviest_cliques(adjacent, weights));
  }
}
