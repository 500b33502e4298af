// The pools sorted into a trie, so that pools with common members share work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "hierarchy/level_rows.hpp"

namespace cliquepool {

// The path of a pool are its members, highest degree first. The pools are sorted by their paths, so that those with the
// same first members are neighbours, and the closed neighbourhood of a common prefix is computed once. Around a hub of
// a hundred thousand pools, each pool then costs only what its other members add.
//
// The slot of a pool is its position in this order.
class PoolTrie {
 public:
  // To bind to a budget.
  auto buffers() { return std::tie(rank_, vertex_, count_, paths_, path_start_, keys_, pool_); }

  // Any number of threads gives the same trie.
  void build(const LevelRows& rows, RaggedView pools, unsigned threads, Budget& budget);

  std::size_t size() const { return pool_.size(); }
  Node pool(Node slot) const { return pool_[idx(slot)]; }

  template <typename Visit>
  void for_each_member(Node slot, Visit&& visit) const {
    for (const Node rank : path(pool(slot))) visit(vertex_[idx(rank)]);
  }

  // Visits the pools in `slots`, which are ascending. `push(vertex)` extends the current path by a member, `pop()`
  // removes the last one, `visit(slot)` is called when the path is that of the pool.
  template <typename Push, typename Pop, typename Visit>
  void walk(std::span<const Node> slots, Push&& push, Pop&& pop, Visit&& visit) const {
    std::span<const Node> current;
    for (const Node slot : slots) {
      const auto next = path(pool(slot));
      const std::size_t most = std::min(current.size(), next.size());
      std::size_t shared = 0;
      while (shared < most && current[shared] == next[shared]) ++shared;
      for (std::size_t i = current.size(); i > shared; --i) pop();
      for (std::size_t i = shared; i < next.size(); ++i) push(vertex_[idx(next[i])]);
      visit(slot);
      current = next;
    }
    for (std::size_t i = current.size(); i > 0; --i) pop();
  }

 private:
  struct Key {
    std::uint64_t first_two;  // members of the path
    Node pool;
  };

  void rank_by_degree(const LevelRows& rows, Pace& pace);
  void write_path(RaggedView pools, Node pool);

  // The members of a pool as ranks, ascending.
  std::span<const Node> path(Node pool) const {
    return {paths_.data() + path_start_[idx(pool)], idx(path_start_[idx(pool) + 1] - path_start_[idx(pool)])};
  }

  ChargedBuffer<Node> rank_;    // of each vertex in the order of decreasing degree
  ChargedBuffer<Node> vertex_;  // of each rank
  ChargedBuffer<Node> count_;   // scratch of the counting sort
  ChargedBuffer<Node> paths_;
  ChargedBuffer<Offset> path_start_;  // of each pool in `paths_`, + 1
  ChargedBuffer<Key> keys_;           // of each pool, to sort them
  ChargedBuffer<Node> pool_;          // of each slot
};

}  // namespace cliquepool
