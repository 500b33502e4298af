// The degeneracy order: always take a node of least degree among those left.
#pragma once

#include "budget.hpp"
#include "types.hpp"

namespace cliquepool {

// Keeps its arrays between graphs.
class DegeneracyOrder {
 public:
  // Linear time. `order` lists the nodes as taken, `rank` is its inverse.
  void compute(GraphView graph, Pace& pace);

  std::span<const Node> order() const { return order_.span(); }
  std::span<const Node> rank() const { return rank_.span(); }
  // By node: how many neighbours were left when it was taken, or an earlier node of more (its core number).
  std::span<const Node> core() const { return degree_.span(); }
  Node degeneracy() const { return degeneracy_; }

 private:
  Buffer<Node> order_;
  Buffer<Node> rank_;
  Buffer<Node> degree_;
  Buffer<Node> bucket_start_;
  Node degeneracy_ = 0;
};

}  // namespace cliquepool
