// The edges that a graph is built from.
#pragma once

#include <cstddef>

#include "graph/node_id.hpp"

namespace cliquepool {

// One end of every edge: a column or a row of the caller's array.
template <NodeId Id>
struct Endpoints {
  const Id* first = nullptr;
  std::ptrdiff_t step = 1;

  Id operator[](std::size_t edge) const { return first[static_cast<std::ptrdiff_t>(edge) * step]; }
};

}  // namespace cliquepool
