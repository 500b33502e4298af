#include "degeneracy.hpp"

#include <algorithm>
#include <utility>

namespace cliquepool {

// Nodes stand in `order_` sorted by degree left, `bucket_start_[d]` is where degree d begins. Taking a node lowers
// each neighbour still to come by one: it swaps with the first of its bucket, which then begins one later.
void DegeneracyOrder::compute(GraphView graph, Pace& pace) {
  const Node n = graph.num_nodes();
  order_.resize(idx(n));
  rank_.resize(idx(n));
  degree_.resize(idx(n));
  degeneracy_ = 0;

  Node largest = 0;
  for (Node v = 0; v < n; ++v) {
    degree_[idx(v)] = graph.degree(v);
    largest = std::max(largest, degree_[idx(v)]);
  }
  bucket_start_.assign(idx(largest) + 2, 0);
  for (Node v = 0; v < n; ++v) ++bucket_start_[idx(degree_[idx(v)]) + 1];
  for (std::size_t d = 1; d < bucket_start_.size(); ++d) bucket_start_[d] += bucket_start_[d - 1];
  for (Node v = 0; v < n; ++v) {
    const Node place = bucket_start_[idx(degree_[idx(v)])]++;
    order_[idx(place)] = v;
    rank_[idx(v)] = place;
  }
  for (std::size_t d = bucket_start_.size() - 1; d > 0; --d) bucket_start_[d] = bucket_start_[d - 1];
  bucket_start_[0] = 0;

  for (Node i = 0; i < n; ++i) {
    const Node v = order_[idx(i)];
    const Node left = degree_[idx(v)];
    degeneracy_ = std::max(degeneracy_, left);
    pace.step(idx(graph.degree(v)));
    for (const Node u : graph[v]) {
      Node& degree = degree_[idx(u)];
      if (degree <= left) continue;
      const Node first = bucket_start_[idx(degree)]++;
      const Node other = order_[idx(first)];
      const Node place = rank_[idx(u)];
      order_[idx(first)] = u;
      rank_[idx(u)] = first;
      order_[idx(place)] = other;
      rank_[idx(other)] = place;
      --degree;
    }
  }
}

}  // namespace cliquepool
