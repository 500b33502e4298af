// Arbitrary integer ids replaced by 0..n-1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/budget.hpp"
#include "base/buffer.hpp"
#include "base/types.hpp"
#include "graph/node_id.hpp"

namespace cliquepool {

// The distinct ids, ascending: labels[v] is the id of node v.
struct CompactIds {
  Node num_nodes = 0;
  std::optional<Buffer<std::int64_t>> labels;  // none when they are 0..num_nodes-1 themselves
};

// Replaces every id by its rank among the distinct ids. Expected linear time, plus sorting the distinct ids where
// they lie far apart. Throws GraphError when there are more distinct ids than a graph can have nodes.
template <NodeId Id>
CompactIds compact_ids(std::span<Id> ids, Budget& budget);

}  // namespace cliquepool
