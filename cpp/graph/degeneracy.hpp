// The degeneracy order: level by level, take the nodes that have no more neighbours left than the level.
#pragma once

#include <algorithm>

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Keeps its arrays between graphs.
class DegeneracyOrder {
 public:
  // Linear time. `order` lists the nodes as taken, `rank` is its inverse.
  void compute(GraphView graph, Pace& pace) {
    compute(graph, pace, [](Node, std::span<const Node>) {});
  }
  // The same, and calls taken(v, later) for each node as it is taken, with the neighbours that are left: no more than
  // its core number.
  template <typename Taken>
  void compute(GraphView graph, Pace& pace, Taken&& taken);

  std::span<const Node> order() const { return order_.span(); }
  std::span<const Node> rank() const { return rank_.span(); }
  // By node: the level at which it was taken (its core number).
  std::span<const Node> core() const { return left_.span(); }
  Node degeneracy() const { return degeneracy_; }

 private:
  void prepare(GraphView graph);
  Node take_poor(Node level);

  Buffer<Node> order_;
  Buffer<Node> rank_;
  Buffer<Node> left_;     // neighbours left, but never below the level; of a node taken, ~level
  Buffer<Node> waiting_;  // ascending, all nodes not yet in `order_`, and some that are
  Buffer<Node> later_;
  Node degeneracy_ = 0;
};

// At each level, nodes with so few neighbours left go to the end of `order_`; taking one lowers its neighbours, which
// may follow. Only then is the level raised, and those still waiting are gone through: as often as their core numbers
// say, which is no more than there are edges (Dasari, Desh, Zubair 2014).
template <typename Taken>
void DegeneracyOrder::compute(GraphView graph, Pace& pace, Taken&& taken) {
  prepare(graph);
  Node* const left = left_.data();
  Node* const later = later_.data();
  Node* next = order_.data();
  Node* end = next;
  for (Node level = 0; !waiting_.empty();) {
    pace.step(waiting_.size());
    const Node poorest = take_poor(level);
    end = order_.end();
    if (next == end) {
      level = poorest;
      continue;
    }
    degeneracy_ = level;
    for (; next != end; ++next) {
      const Node v = *next;
      rank_[idx(v)] = static_cast<Node>(next - order_.data());
      left[v] = ~level;
      Node count = 0;
      for (const Node u : graph[v]) {
        const Node has = left[u];
        if (has < 0) continue;
        later[count++] = u;
        if (has <= level) continue;
        left[u] = has - 1;
        if (has - 1 == level) *end++ = u;
      }
      taken(v, std::span<const Node>(later, idx(count)));
      pace.step(idx(graph.degree(v)));
    }
    order_.commit(static_cast<std::size_t>(end - order_.end()));
    ++level;
  }
  for (Node& core : left_.span()) core = ~core;
}

}  // namespace cliquepool
