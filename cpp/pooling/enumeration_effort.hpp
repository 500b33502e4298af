// How long plain enumeration of cliques is worthwhile.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace cliquepool {

// The number of vertices that an enumeration in machine words may try before a search with bounds, which costs more to
// set up, is likely to be faster.
inline std::int64_t enumeration_effort(GraphView graph) {
  constexpr std::int64_t kLeast = 256;
  constexpr std::int64_t kPerNeighbour = 8;
  return kLeast + kPerNeighbour * static_cast<std::int64_t>(graph.neighbours.size());
}

}  // namespace cliquepool
