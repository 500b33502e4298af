// The last two rounds of the pooling: pairs of nodes, and single nodes.
#pragma once

#include "base/types.hpp"
#include "pooling/pooling_run.hpp"

namespace cliquepool {

// Cliques up to this weight are left to `pool_pairs_and_singles`.
inline constexpr Node kPairWeight = 2;

// Pools all live vertices, none of which may be in a clique of live vertices heavier than kPairWeight. Linear time.
void pool_pairs_and_singles(PoolingRun& run);

}  // namespace cliquepool
