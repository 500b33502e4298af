#include "pooling/peeling.hpp"

#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// The nodes left by dropping, one at a time, any whose closed neighbourhood weighs less than `target`.
Nodes peel_naively(const Matrix& adjacent, const Nodes& weights, Node target, Nodes left) {
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (std::size_t i = 0; i < left.size() && !dropped; ++i) {
      Node weight = weights[idx(left[i])];
      for (const Node u : left) weight += adjacent[idx(left[i])][idx(u)] ? weights[idx(u)] : 0;
      if (weight >= target) continue;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      dropped = true;
    }
  }
  return left;
}

void check_peeling(LocalGraph& graph, const Matrix& adjacent, const Nodes& weights, Node target, const Nodes& live) {
  fill(graph, adjacent, weights);
  for (Node v = 0; v < size_of(adjacent); ++v)
    if (!contains(live, v)) graph.remove(v + 1);
  std::vector<Word> set(idx(graph.words));
  const Peeled peeled = peel(graph, target, set.data());
  Nodes left = members_of(set.data(), graph.words);
  for (Node& v : left) --v;
  CHECK(left == peel_naively(adjacent, weights, target, live));
  CHECK(peeled.count == static_cast<Node>(left.size()));
  CHECK(peeled.weight == weight_of(left, weights));
  CHECK(peeled.dropped_bound < target);
  if (left == live) CHECK(peeled.dropped_bound == 0);
  if (left.empty()) CHECK(peeled.dropped_bound >= max_clique_weight(adjacent, weights, live));
}

}  // namespace

TEST(peeling_leaves_the_same_vertices_as_dropping_one_at_a_time) {
  Random random(1);
  LocalGraph graph;
  for (const Node n : kSizesOfEveryWidth) {
    for (const Node heaviest : {1, 3}) {
      const Matrix adjacent = random_matrix(n, random_density(0.02, 0.3, random), random);
      const Nodes weights = random_weights(n, heaviest, random);
      const Nodes live = random_subset(n, random);
      for (const Node target : {1, 2, 3, 5, 8, 13, 21, 34, 55}) check_peeling(graph, adjacent, weights, target, live);
    }
  }
}

TEST(peeling_bounds_every_clique_with_a_dropped_vertex) {
  Random random(2);
  LocalGraph graph;
  for (int i = 0; i < 300; ++i) {
    const Node n = random_between(1, 12, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, 0.9, random), random);
    const Nodes weights = random_weights(n, 1 + i % 3, random);
    const Node target = random_between(1, weight_of(all_nodes(n), weights), random);
    fill(graph, adjacent, weights);
    std::vector<Word> set(idx(graph.words));
    const Peeled peeled = peel(graph, target, set.data());
    for (const Nodes& clique : cliques_by_subsets(adjacent)) {
      const bool whole = std::all_of(clique.begin(), clique.end(), [&](Node v) { return test_bit(set.data(), v + 1); });
      CHECK(whole || weight_of(clique, weights) <= peeled.dropped_bound);
    }
  }
}
