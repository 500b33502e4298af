// Inputs of the pooling with their pools, computed in another way.
#pragma once

#include <utility>
#include <vector>

#include "pooling/pooler.hpp"
#include "tests/naive.hpp"

namespace naive {

using namespace cliquepool;

// BoundQueue keeps bounds beyond 4 n + 1024 in its heap.
inline constexpr Node kHeavy = 4000;
inline constexpr Node kHuge = 10'000'000;

inline Lists pool(Pooler& pooler, const Matrix& adjacent, const Nodes& weights, const Pooler::Options& options = {}) {
  const Graph graph = graph_of(adjacent);
  Budget budget;
  Ragged pools;
  pooler.run({graph.view(), weights}, options, budget, pools);
  return lists_of(pools.view());
}

// One run of the pooling, for tests of a single way of pooling.
struct OneRun {
  OneRun(const Matrix& adjacent, const Nodes& node_weights, const PoolingOptions& options = {})
      : graph(graph_of(adjacent)),
        weights(node_weights),
        run({graph.view(), weights}, options, budget, pools, memory) {}

  Lists lists() const { return lists_of(pools.view()); }

  Graph graph;
  Nodes weights;
  Budget budget;
  Ragged pools;
  PoolingRun::Memory memory;
  PoolingRun run;
};

// An input with its pools, computed in another way.
struct Case {
  Matrix adjacent;
  Nodes weights;
  Lists pools;
};
inline Case shuffled(const Case& given, Random& random) {
  const Nodes name = random_order(size_of(given.adjacent), random);
  Case renamed{rename(given.adjacent, name), rename_weights(given.weights, name), {}};
  renamed.pools = rename_pools(given.pools, name, renamed.weights);
  return renamed;
}
inline Case random_union(Node least_size, Node heaviest, Random& random) {
  std::vector<Matrix> parts;
  Node size = 0;
  while (size < least_size) {
    parts.push_back(random_matrix(random_between(1, 10, random), random_density(0.1, 0.95, random), random));
    size += size_of(parts.back());
  }
  const Nodes weights = random_weights(size, heaviest, random);
  return shuffled({combine(parts, false), weights, pools_of_union(parts, weights)}, random);
}
// Dense: all nodes are joined but for pairs inside of `num_parts` parts.
inline Case random_join(Node size, Node num_parts, Node part_size, Node heaviest, Random& random) {
  for (;;) {
    std::vector<Matrix> parts;
    Node nodes = 0;
    for (Node i = 0; i < num_parts; ++i, nodes += part_size)
      parts.push_back(random_matrix(part_size, random_density(0.2, 0.8, random), random));
    for (; nodes < size; ++nodes) parts.push_back(Matrix(1, std::vector<bool>(1)));
    const Nodes weights = random_weights(size, heaviest, random);
    const Lists pools = pools_of_join(parts, weights, 500);
    if (!pools.empty()) return shuffled({combine(parts, true), weights, pools}, random);
  }
}

}  // namespace naive
