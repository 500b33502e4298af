// Degeneracy order of a graph: repeatedly take a node with the fewest neighbours among the nodes not yet taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "graph/neighbour_prefetch.hpp"

namespace cliquepool {

// Computes the order level by level: at level d, all nodes with at most d neighbours left are taken. Keeps its memory
// between graphs, bound to the budget of each (see charged_buffer.hpp).
class DegeneracyOrder {
 public:
  void bind(Budget& budget) { bind_all(budget, order_, rank_, degree_, waiting_, later_); }
  void unbind() {
    unbind_all(order_, rank_, degree_, waiting_, later_);
    fallen_.clear();
  }

  // Linear time.
  void compute(GraphView graph, Pace& pace) {
    compute(graph, pace, [](Node, std::span<const Node>) {});
  }
  // Also calls taken(v, later) for each node in the order, with its neighbours that are not yet taken, ascending. There
  // are never more of them than the core number of v.
  template <typename Taken>
  void compute(GraphView graph, Pace& pace, Taken&& taken);
  // The same on several threads. The order is again a degeneracy order, but among nodes that are taken at the same time
  // it depends on chance. Writes the number of later neighbours of each node to `num_later`, by rank.
  void compute(GraphView graph, unsigned threads, Budget& budget, std::span<Offset> num_later);

  std::span<const Node> order() const { return order_.span(); }  // the node at each rank
  std::span<const Rank> rank() const { return rank_.span(); }    // of each node: the inverse of `order`
  Node degeneracy() const { return degeneracy_; }

  // Frees what it took to compute the order.
  void forget_work();
  // Frees all memory, and unbinds. The degeneracy stays known.
  void forget();

 private:
  void prepare(GraphView graph);
  Node append_up_to(Node level);
  void take(GraphView graph, std::size_t first_rank, Node level, unsigned threads, Budget& budget,
            std::span<Offset> num_later);

  static constexpr Node kTaken = -1;
  // On several threads, a node with a rank is marked by it: by negative numbers from kTaken on down.
  static Node taken_at(std::size_t rank) { return kTaken - static_cast<Node>(rank); }
  static std::size_t rank_taken(Node mark) { return idx(kTaken - mark); }

  ChargedBuffer<Node> order_;
  ChargedBuffer<Rank> rank_;
  ChargedBuffer<Node> degree_;   // to nodes not yet taken, but never below the level; negative for a node that is taken
  ChargedBuffer<Node> waiting_;  // ascending: all nodes not yet in `order_`, and some that are
  ChargedBuffer<Node> later_;
  std::vector<ChargedBuffer<Node>> fallen_;  // by each thread: nodes whose degrees fell to the level
  Node degeneracy_ = 0;
};

// Nodes whose degree falls to the level while others are taken are appended to `order_` at once. Only when none is left
// is the level raised and `waiting_` scanned. A node is scanned at most as often as its core number says, which sums up
// to no more than the number of edges (Dasari, Desh, Zubair 2014).
template <typename Taken>
void DegeneracyOrder::compute(GraphView graph, Pace& pace, Taken&& taken) {
  prepare(graph);
  Node* const degree = degree_.data();
  Node* const later = later_.data();
  Node* next = order_.data();
  Node* end = next;
  const NeighbourPrefetch prefetch(graph, degree);
  for (Node level = 0; !waiting_.empty();) {
    pace.step(waiting_.size());
    const Node least_above = append_up_to(level);
    end = order_.end();
    if (next == end) {
      level = least_above;
      continue;
    }
    degeneracy_ = level;
    for (; next != end; ++next) {
      const Node v = *next;
      prefetch({next, end});
      rank_[idx(v)] = static_cast<Rank>(next - order_.data());
      degree[v] = kTaken;
      Node count = 0;
      for (const Node u : graph[v]) {
        const Node left = degree[u];
        if (left == kTaken) continue;
        later[count++] = u;
        if (left <= level) continue;
        degree[u] = left - 1;
        if (left - 1 == level) *end++ = u;
      }
      taken(v, std::span<const Node>(later, idx(count)));
      pace.step(idx(graph.degree(v)));
    }
    order_.commit(static_cast<std::size_t>(end - order_.end()));
    ++level;
  }
}

}  // namespace cliquepool
