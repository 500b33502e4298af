// Twin classes of pools: those with the same closed neighbourhood N[P].
#pragma once

#include <cstdint>
#include <span>
#include <tuple>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "graph/twins.hpp"
#include "hierarchy/pool_trie.hpp"
#include "hierarchy/stack_set.hpp"

namespace cliquepool {

// Groups pools by a hash of N[P], then compares the sets of each group.
class PoolTwins {
 public:
  explicit PoolTwins(std::uint64_t hash_mask) : hashes_(hash_mask) {}

  // To bind to a budget.
  auto buffers() {
    return std::tuple_cat(covered_.buffers(), std::tie(hash_, reach_, by_hash_, first_twin_, marks_, representatives_));
  }

  // Writes the class of each pool, numbered by first pools, and the class sizes.
  void find(GraphView graph, RaggedView pools, const PoolTrie& trie, Budget& budget, TwinLevel& coarse);

  // The slots of the first pool of each class, ascending.
  std::span<const Node> representatives() const { return representatives_.span(); }

 private:
  void hash_neighbourhoods(GraphView graph, const PoolTrie& trie, Budget& budget);
  void group_by_hash(GraphView graph, RaggedView pools, Pace& pace);
  bool are_twins(GraphView graph, RaggedView pools, std::span<const Node> group, Pace& pace);
  void split_group(GraphView graph, RaggedView pools, std::span<Node> group, Pace& pace);
  void number_classes(const PoolTrie& trie, Budget& budget, TwinLevel& coarse);

  NodeHashes hashes_;
  StackSet covered_;                   // N of the current path
  ChargedBuffer<std::uint64_t> hash_;  // of N[P], for each pool
  ChargedBuffer<Offset> reach_;        // |N[P]|
  ChargedBuffer<Node> by_hash_;        // pools sorted by hash and reach
  ChargedBuffer<Node> first_twin_;     // of each pool
  ChargedBuffer<unsigned char> marks_;
  ChargedBuffer<Node> representatives_;
};

}  // namespace cliquepool
