// Pooling of a level whose rows are implied, not stored.
#pragma once

#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "hierarchy/coarsening.hpp"
#include "hierarchy/level_rows.hpp"
#include "pooling/pooler.hpp"

namespace cliquepool {

// Finds the heaviest cliques, round by round, until the graph between the vertices that are left can be stored; the
// Pooler does the rest. In a round:
// - For every clique C of the level below, the classes that meet C form a clique. The pools below give a lower bound.
// - Vertices whose closed neighbourhoods weigh less than the bound are in no heaviest clique. Degrees and weights are
//   counted along the trie of the members, without listing a row.
// - Vertices adjacent to all that are left are in all heaviest cliques.
// - What is left then is mostly small: it is stored and searched by the Pooler. If it cannot be stored, it is searched
//   vertex by vertex: the cliques of the vertex of least weight lie in its neighbourhood; then it is removed.
//
// `fitting` says which parts of the graph can be stored. Writes the pools as Pooler::run does.
void pool_implied(const ImpliedRows& graph, std::span<const Node> weights, const CoarseningOptions& fitting,
                  Pooler& pooler, const PoolingOptions& options, Budget& budget, Ragged& pools);

}  // namespace cliquepool
