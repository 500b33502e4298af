// Branches of long searches, for threads that have nothing else left to search.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "pooling/bit_graph.hpp"
#include "pooling/found_cliques.hpp"
#include "pooling/search_stack.hpp"

namespace cliquepool {

// A search that several threads may work on: its owner, which begins it, and those that take branches of it. They read
// memory of the owner, which therefore waits until all branches have ended.
struct SharedSearch {
  const BitGraph* graph = nullptr;
  bool unit_weights = true;
  Node target = 0;
  // Adds a clique of `graph` to those that the calling thread has found; `memory` is of this thread too.
  std::function<void(std::span<const Node> members, FoundCliques& found, Buffer<Node>& memory)> append;

  // Of all branches that were offered. Guarded by the mutex of the exchange until the last of them has ended.
  Node bound = 0;
  bool found_any = false;
  int open_branches = 0;  // not yet ended
};

struct OfferedBranch {
  SharedSearch* search = nullptr;
  SearchBranch start;
};

// Threads that search vertices share one. Each calls `begin_work` before its first search and `end_work` after its
// last; then it takes branches until no thread works. The first branches of a search are the largest, so few are
// offered: about one for every thread that waits.
class BranchExchange {
 public:
  explicit BranchExchange(Budget& budget) : budget_(budget) {}

  void begin_work();
  void end_work();

  // Whether a thread waits for a branch. Cheap, and only a hint.
  bool wanted() const { return wanted_.load(std::memory_order_relaxed) > 0; }
  void offer(OfferedBranch branch);

  // Waits for a branch of any search; returns nothing once there is none and no thread works any more.
  std::optional<OfferedBranch> take();
  // The same for the owner of a search: returns nothing once all branches of `search` have ended.
  std::optional<OfferedBranch> take_until_ended(const SharedSearch& search);
  // To be called for every branch taken: `bound` is that of its search, and `found_any` whether it found a clique.
  void end(const OfferedBranch& branch, Node bound, bool found_any);

 private:
  template <typename Finished>
  std::optional<OfferedBranch> wait(Finished&& finished);
  void update_wanted() { wanted_.store(waiting_ - static_cast<int>(branches_.size()), std::memory_order_relaxed); }

  Budget& budget_;
  std::atomic<int> wanted_{0};  // threads that wait, without those for which there is a branch
  std::mutex mutex_;            // guards all below
  std::condition_variable changed_;
  std::deque<OfferedBranch> branches_;
  int working_ = 0;  // threads that search, or wait for the branches of their search
  int waiting_ = 0;
};

}  // namespace cliquepool
