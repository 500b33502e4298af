// Loads the neighbours of nodes, and values of them, ahead of visits in the order of a list.
#pragma once

#include <cstddef>
#include <span>

#include "base/prefetch.hpp"
#include "base/types.hpp"

namespace cliquepool {

inline constexpr std::size_t kNodesOfCaches = 1 << 18;  // values of fewer nodes are in the caches anyway

// Starts to load what visits of the nodes of a list read, some nodes ahead of them: where the neighbours of a node
// begin, then the neighbours, then the values of the neighbours. Does nothing for graphs that fit into the caches
// anyway.
template <typename Value>
class NeighbourPrefetch {
 public:
  NeighbourPrefetch(GraphView graph, const Value* values)
      : graph_(graph), values_(values), is_large_(idx(graph.num_nodes()) >= kNodesOfCaches) {}

  // `nodes` are the node that is visited now and those that come after it, as far as they are known.
  void operator()(std::span<const Node> nodes) const {
    if (!is_large_) return;
    if (nodes.size() > kAhead)
      for (const Node u : graph_[nodes[kAhead]]) prefetch(values_ + idx(u));
    if (nodes.size() > 2 * kAhead) prefetch(graph_[nodes[2 * kAhead]].data());
    if (nodes.size() > 3 * kAhead) prefetch(graph_.offsets.data() + nodes[3 * kAhead]);
  }

 private:
  static constexpr std::size_t kAhead = 4;

  GraphView graph_;
  const Value* values_;
  bool is_large_;
};

}  // namespace cliquepool
