// From pools to the coarse graph between them, as twin classes; the expanded coarse graph is never written down.
#pragma once

#include <cstdint>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "graph/twins.hpp"
#include "hierarchy/class_edges.hpp"
#include "hierarchy/pool_trie.hpp"
#include "hierarchy/pool_twins.hpp"

namespace cliquepool {

// Two pools are joined when a node of one is adjacent to a node of the other: when one meets N[P] of the other.
// Pools with equal N[P] are twins. Coarsens graphs one after another in the same memory.
class Coarsener {
 public:
  explicit Coarsener(std::uint64_t hash_mask = ~std::uint64_t{0}) : twins_(hash_mask) {}

  // `graph` is the quotient of the fine level; `pools` are lists of its vertices that cover it, each a clique.
  void run(GraphView graph, RaggedView pools, Budget& budget, TwinLevel& coarse);

 private:
  PoolTrie trie_;
  PoolTwins twins_;
  ClassEdges edges_;
};

}  // namespace cliquepool
