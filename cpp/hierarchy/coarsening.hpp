// From pools to the coarse graph between them, as twin classes; the expanded coarse graph is never written down.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "graph/twins.hpp"
#include "hierarchy/class_edges.hpp"
#include "hierarchy/implied_level.hpp"
#include "hierarchy/level_rows.hpp"
#include "hierarchy/pool_trie.hpp"
#include "hierarchy/pool_twins.hpp"

namespace cliquepool {

struct CoarseningOptions {
  unsigned threads = 1;
  // Leave the quotient implied where it does not fit into what is left of the budget; otherwise fail.
  bool may_imply = false;
  // Bytes for each entry of the quotient that its next user needs besides the entry itself.
  std::int64_t bytes_above = 0;
  // Entries of the largest quotient that is stored; tests lower it.
  Offset most_stored = std::numeric_limits<Offset>::max();

  // Returns whether a quotient of so many classes and entries can be stored, and used, within what is left of the
  // budget.
  bool fits(Offset classes, Offset entries, const Budget& budget) const;
};

// Two pools are joined when a node of one is adjacent to a node of the other: when one meets N[P] of the other.
// Pools with equal N[P] are twins. Coarsens graphs one after another in the same memory.
class Coarsener {
 public:
  explicit Coarsener(std::uint64_t hash_mask = ~std::uint64_t{0}) : twins_(hash_mask) {}

  // `rows` are those of the quotient of the fine level; `pools` are lists of its vertices that cover it, each a clique.
  // Both must live as long as the result. Returns null if coarse.quotient is stored; otherwise the quotient is empty,
  // and the result implies it.
  std::unique_ptr<ImpliedLevel> run(const LevelRows& rows, RaggedView pools, const CoarseningOptions& options,
                                    Budget& budget, TwinLevel& coarse);

  // Returns an array for so many entries, which may be a mapped file.
  using Allocate = std::function<std::span<Node>(Offset entries)>;

  // Writes the neighbours of the quotient, which may be larger than memory, to the array that `allocate` returns;
  // coarse.quotient has only the offsets.
  void run_into(const LevelRows& rows, RaggedView pools, unsigned threads, const Allocate& allocate, Budget& budget,
                TwinLevel& coarse);

 private:
  void find_classes(const LevelRows& rows, RaggedView pools, unsigned threads, Budget& budget, TwinLevel& coarse);

  PoolTrie trie_;
  PoolTwins twins_;
  ClassEdges edges_;
};

}  // namespace cliquepool
