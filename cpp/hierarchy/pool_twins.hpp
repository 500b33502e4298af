// Twin classes of pools: those with the same closed neighbourhood N[P].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "graph/twins.hpp"
#include "hierarchy/closed_cover.hpp"
#include "hierarchy/level_rows.hpp"
#include "hierarchy/pool_trie.hpp"

namespace cliquepool {

// Groups pools by a hash of N[P], then compares the sets of each group. Keeps its memory between graphs, bound to the
// budget of each (see charged_buffer.hpp).
class PoolTwins {
 public:
  explicit PoolTwins(std::uint64_t hash_mask) : hashes_(hash_mask) {}

  void bind(Budget& budget);
  void unbind();

  // Writes the class of each pool, numbered by first pools, and the class sizes.
  void find(const LevelRows& rows, RaggedView pools, const PoolTrie& trie, unsigned threads, TwinLevel& coarse);

  // The slots of the first pool of each class, ascending.
  std::span<const Node> representatives() const { return representatives_.span(); }
  // An upper bound on the number of entries of the quotient, known without joining classes: a class has no more
  // neighbours than there are pairs of a vertex of N[P] and a pool that contains it.
  Offset most_entries() const { return most_entries_; }

  // Frees all but the representatives.
  void free_work();

 private:
  struct HashedPool {
    std::uint64_t hash;
    Node pool;
  };

  void count_touching(const LevelRows& rows, RaggedView pools, unsigned threads);
  void hash_neighbourhoods(const LevelRows& rows, const PoolTrie& trie, unsigned threads);
  void hash_slots(const LevelRows& rows, const PoolTrie& trie, std::span<const Node> slots, ClosedCover& cover);
  void group_by_hash(const LevelRows& rows, RaggedView pools, unsigned threads);
  void compare_groups(RaggedView pools, std::size_t first, std::size_t last, ClosedCover& cover);
  bool are_twins(RaggedView pools, std::span<const HashedPool> group, ClosedCover& cover, Pace& pace) const;
  void split_group(RaggedView pools, std::span<const HashedPool> group, ClosedCover& cover, Pace& pace);
  void number_classes(const PoolTrie& trie, TwinLevel& coarse);
  void bound_entries(const PoolTrie& trie);

  Budget* budget_ = nullptr;
  NodeHashes hashes_;
  std::vector<ClosedCover> covers_;    // of each thread: N of the current path
  ChargedBuffer<Node> touching_;       // number of pools that contain each vertex
  ChargedBuffer<std::uint64_t> hash_;  // of N[P], for each pool
  ChargedBuffer<Offset> reach_;        // |N[P]|
  ChargedBuffer<Offset> touched_;      // the sum of `touching_` over N[P]
  ChargedBuffer<HashedPool> by_hash_;  // pools sorted by hash and reach
  ChargedBuffer<Node> first_twin_;     // of each pool
  ChargedBuffer<Node> representatives_;
  Offset most_entries_ = 0;
};

}  // namespace cliquepool
