// Pooling of graphs so small that a set of their vertices is one machine word.
#pragma once

#include "base/types.hpp"
#include "pooling/local_search.hpp"
#include "pooling/pooling_run.hpp"
#include "pooling/word_graph.hpp"

namespace cliquepool {

// Such a graph needs no order and no queue of bounds: the cliques of a round are found by one search of the whole
// graph. First by plain enumeration, the fastest for the sparse graphs that data sets consist of; a graph that proves
// too dense for it is pooled to the end by LocalSearch, whose bounds pay there. Keeps its memory between graphs.
class SmallGraphPooling {
 public:
  static bool fits(const WeightedGraph& graph) { return graph.num_nodes() <= kMostVertices; }

  void pool(PoolingRun& run);

 private:
  Node pool_by_enumeration(PoolingRun& run);
  void pool_by_search(PoolingRun& run, Node bound);
  void build_search(const WeightedGraph& graph, std::span<const unsigned char> live);
  void remove_from_search(std::span<const Node> vertices);

  static constexpr Node kMostVertices = kWordBits - 1;  // one bit of a row is not a vertex: see LocalGraph
  static constexpr unsigned kRunsPerCheck = 16;

  unsigned runs_ = 0;
  WordGraph words_;
  LocalSearch search_;
  Buffer<Node> vertex_of_;    // of each local vertex, from 1; FoundCliques::kCopy for all copies of a vertex but one
  Buffer<Node> first_local_;  // the first copy of each vertex, + 1
};

}  // namespace cliquepool
