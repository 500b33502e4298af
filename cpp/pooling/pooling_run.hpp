// The state of one run of the pooling that all ways of pooling share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "pooling/found_cliques.hpp"

namespace cliquepool {

struct PoolingOptions {
  unsigned threads = 1;
  bool only_first_round = false;  // only the heaviest cliques
  bool progress = false;          // report to the budget how many vertices are pooled
};

// Owns the live flags, the options, the budget and the closing of rounds. A vertex is live until it is pooled.
//
// A round: the threads find all cliques of one weight, the highest among live vertices, each in `found(thread)`; then
// `close_round` makes them pools.
class PoolingRun {
 public:
  // Cliques in `found(thread)`, from `first` on, without `last`.
  struct FoundRange {
    unsigned thread = 0;
    Offset first = 0;
    Offset last = 0;
  };
  struct PoolKey {
    std::uint64_t first_two;  // members
    const Node* members;
    Node size;
  };
  // Memory that is kept from run to run. A run resets all of it, so an interrupted run leaves nothing behind.
  struct Memory {
    ChargedBuffer<unsigned char> live;
    std::vector<FoundCliques> found;
    ChargedBuffer<PoolKey> keys;
    ChargedBuffer<std::uint64_t> pair_keys;
  };

  // Pools are appended to `pools`, which is cleared first, in canonical order: heaviest first, then by ascending
  // members.
  PoolingRun(const WeightedGraph& graph, const PoolingOptions& options, Budget& budget, Ragged& pools, Memory& memory);

  const WeightedGraph& graph() const { return graph_; }
  unsigned threads() const { return threads_; }
  Budget& budget() { return budget_; }
  Pace& pace() { return pace_; }  // for the thread that made the run
  std::span<const unsigned char> live() const { return memory_.live.span(); }
  Node num_live() const { return num_live_; }
  FoundCliques& found(unsigned thread = 0) { return memory_.found[thread]; }

  // More rounds are wanted, if there are live vertices.
  bool wants_more() const { return !options_.only_first_round || pools_.size() == 0; }

  // Makes the cliques found by all threads pools and removes their members from the live vertices. Returns the members
  // of the new pools, one pool after the other.
  std::span<const Node> close_round();
  // The same for cliques that are in canonical order, if they are taken range by range.
  std::span<const Node> close_round(std::span<const FoundRange> ranges);

  // For ways that append pools in canonical order themselves, in place of `close_round`:
  Ragged& pools() { return pools_; }
  // Makes vertices no longer live. A vertex may be given several times.
  void remove(std::span<const Node> vertices);
  // Counts the pools appended since the last call, and charges their memory.
  void charge_pools();

 private:
  bool nothing_found() const;
  bool append_triangles();
  bool only_pairs() const;
  bool append_pairs();
  void append_sorted();
  void append_ranges(std::span<const FoundRange> ranges);
  PoolKey sorted_pool(Ragged& lists, Offset pool);
  unsigned threads_for(std::size_t pools) const;
  std::span<const Node> end_round(std::size_t first_member);

  WeightedGraph graph_;
  PoolingOptions options_;
  unsigned threads_;
  Budget& budget_;
  Pace pace_;
  Ragged& pools_;
  Memory& memory_;
  ChargeScope<ChargedBuffer<unsigned char>> live_scope_;
  Node num_live_;
  Offset counted_pools_ = 0;
  std::int64_t charged_bytes_ = 0;
};

}  // namespace cliquepool
