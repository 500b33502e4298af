#include "layout/pivots.hpp"

#include <algorithm>

namespace cliquepool {
namespace {

Node node_of_highest_degree(GraphView graph) {
  Node best = 0;
  for (Node v = 1; v < graph.num_nodes(); ++v)
    if (graph.degree(v) > graph.degree(best)) best = v;
  return best;
}

}  // namespace

Pivots::Pivots(GraphView graph, std::size_t count, Budget& budget)
    : num_nodes_(idx(graph.num_nodes())), nodes_(budget), distances_(budget), closest_(budget), queue_(budget) {
  assert(num_nodes_ > 0);
  Pace pace(budget);
  count = std::min(count, num_nodes_);
  distances_.resize(count * num_nodes_);
  closest_.assign(num_nodes_, 0);
  ChargedBuffer<Distance> nearest(budget, num_nodes_, kFarthest);  // distance to the closest pivot
  Node next = node_of_highest_degree(graph);
  for (std::size_t pivot = 0; pivot < count; ++pivot) {
    nodes_.push_back(next);
    measure_from(graph, next, pace);
    const auto measured = distances(pivot);
    std::size_t farthest = 0;
    for (std::size_t v = 0; v < num_nodes_; ++v) {
      if (measured[v] < nearest[v]) {
        nearest[v] = measured[v];
        closest_[v] = static_cast<Node>(pivot);
      }
      if (nearest[v] > nearest[farthest]) farthest = v;
    }
    next = static_cast<Node>(farthest);
  }
}

// Breadth-first search.
void Pivots::measure_from(GraphView graph, Node source, Pace& pace) {
  Distance* const distance = distances_.data() + (nodes_.size() - 1) * num_nodes_;
  std::fill_n(distance, num_nodes_, kFarthest);
  distance[source] = 0;
  queue_.clear();
  queue_.push_back(source);
  for (std::size_t head = 0; head < queue_.size(); ++head) {
    const Node v = queue_[head];
    pace.step(idx(graph.degree(v)) + 1);
    const auto next = static_cast<Distance>(std::min<int>(distance[v] + 1, kFarthest - 1));
    for (const Node u : graph[v]) {
      if (distance[u] != kFarthest) continue;
      distance[u] = next;
      queue_.push_back(u);
    }
  }
}

}  // namespace cliquepool
