#include "graph/degeneracy.hpp"

#include <limits>
#include <numeric>

namespace cliquepool {

void DegeneracyOrder::prepare(GraphView graph) {
  const Node n = graph.num_nodes();
  order_.clear();
  order_.reserve(idx(n));
  rank_.resize(idx(n));
  left_.resize(idx(n));
  waiting_.resize(idx(n));
  std::iota(waiting_.begin(), waiting_.end(), 0);
  degeneracy_ = 0;
  Node largest = 0;
  for (Node v = 0; v < n; ++v) {
    left_[idx(v)] = graph.degree(v);
    largest = std::max(largest, left_[idx(v)]);
  }
  later_.resize(idx(largest));
}

// Moves the nodes that have no more than `level` neighbours left from those waiting to the order. Returns the fewest
// that one of the others has.
Node DegeneracyOrder::take_poor(Node level) {
  Node poorest = std::numeric_limits<Node>::max();
  Node* keep = waiting_.begin();
  for (const Node v : waiting_.span()) {
    const Node has = left_[idx(v)];
    if (has < 0) continue;
    if (has <= level) {
      order_.push_back(v);
      continue;
    }
    *keep++ = v;
    poorest = std::min(poorest, has);
  }
  waiting_.resize(static_cast<std::size_t>(keep - waiting_.begin()));
  return poorest;
}

}  // namespace cliquepool
