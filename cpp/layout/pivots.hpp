// Pivots: a few nodes of a connected graph, far from each other, with the distances from each to all nodes.
#pragma once

#include <cstdint>
#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

class Pivots {
 public:
  using Distance = std::uint16_t;  // longer paths count as kFarthest
  static constexpr Distance kFarthest = 65535;

  // Chooses up to `count` pivots: first the node of highest degree, then always the node farthest from those before it.
  // The graph must be connected and not empty.
  Pivots(GraphView graph, std::size_t count, Budget& budget);

  std::size_t size() const { return nodes_.size(); }
  Node node(std::size_t pivot) const { return nodes_[pivot]; }
  std::span<const Distance> distances(std::size_t pivot) const {
    return distances_.span().subspan(pivot * num_nodes_, num_nodes_);
  }
  // Returns the pivot that is closest to each node, the first one of several.
  std::span<const Node> closest() const { return closest_.span(); }

 private:
  void measure_from(GraphView graph, Node source, Pace& pace);

  std::size_t num_nodes_;
  ChargedBuffer<Node> nodes_;
  ChargedBuffer<Distance> distances_;  // pivot by pivot
  ChargedBuffer<Node> closest_;
  ChargedBuffer<Node> queue_;
};

}  // namespace cliquepool
