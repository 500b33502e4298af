// Exact clique pooling: repeatedly, all heaviest cliques of the remaining vertices become pools and are removed.
#pragma once

#include "base/budget.hpp"
#include "base/types.hpp"
#include "pooling/degeneracy_pooling.hpp"
#include "pooling/pooling_run.hpp"
#include "pooling/small_graph_pooling.hpp"
#include "pooling/word_pooling.hpp"

namespace cliquepool {

// Pools weighted graphs: a vertex is a twin class, its weight the number of nodes in it. Chooses the fastest way for a
// graph; all ways give the same pools. Keeps its memory between graphs, so that one Pooler serves a whole data set.
class Pooler {
 public:
  using Options = PoolingOptions;

  // Writes the pools as lists of vertices, in canonical order: heaviest first, then by ascending members. The memory of
  // the pools stays charged to the budget.
  void run(const WeightedGraph& graph, const Options& options, Budget& budget, Ragged& pools);

 private:
  PoolingRun::Memory memory_;
  SmallGraphPooling small_;
  WordPooling words_;
  DegeneracyPooling by_degeneracy_;
};

}  // namespace cliquepool
