#include "graph/degeneracy.hpp"

#include <limits>
#include <numeric>

namespace cliquepool {

void DegeneracyOrder::prepare(GraphView graph) {
  const Node n = graph.num_nodes();
  order_.clear();
  order_.reserve(idx(n));
  rank_.resize(idx(n));
  degree_.resize(idx(n));
  waiting_.resize(idx(n));
  std::iota(waiting_.begin(), waiting_.end(), 0);
  degeneracy_ = 0;
  Node largest = 0;
  for (Node v = 0; v < n; ++v) {
    degree_[idx(v)] = graph.degree(v);
    largest = std::max(largest, degree_[idx(v)]);
  }
  later_.resize(idx(largest));
}

void DegeneracyOrder::forget() {
  for (auto* const nodes : {&order_, &degree_, &waiting_, &later_}) *nodes = ChargedBuffer<Node>();
  rank_ = ChargedBuffer<Rank>();
}

// Moves the waiting nodes that have at most `level` neighbours left to the order, and forgets those already in it.
// Returns the least degree of the nodes that go on waiting.
Node DegeneracyOrder::append_up_to(Node level) {
  Node least_above = std::numeric_limits<Node>::max();
  Node* keep = waiting_.begin();
  for (const Node v : waiting_.span()) {
    const Node degree = degree_[idx(v)];
    if (degree == kTaken) continue;
    if (degree <= level) {
      order_.push_back(v);
      continue;
    }
    *keep++ = v;
    least_above = std::min(least_above, degree);
  }
  waiting_.resize(static_cast<std::size_t>(keep - waiting_.begin()));
  return least_above;
}

}  // namespace cliquepool
