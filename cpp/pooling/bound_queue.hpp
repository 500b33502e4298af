// Vertices queued by an upper bound, and taken level by level from the highest bound down.
#pragma once

#include <algorithm>
#include <optional>
#include <queue>
#include <span>
#include <utility>

#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// A bucket queue. Bounds beyond the buckets, which only vertices next to huge twin classes have, are kept in a heap.
// Keeps its memory between graphs, bound to the budget of each (see charged_buffer.hpp).
class BoundQueue {
 public:
  struct Level {
    Node bound;
    std::span<const Rank> vertices;  // valid until the next level is taken
  };

  void bind(Budget& budget) { bind_all(budget, head_, next_, level_); }
  void unbind() { unbind_all(head_, next_, level_); }

  // Only vertices with a bound above `least`, 0 or more, are ever queued.
  void reset(Node num_vertices, Node highest_bound, Node least) {
    const std::int64_t most_buckets = std::int64_t{4} * num_vertices + 1024;
    const Node buckets = static_cast<Node>(std::min<std::int64_t>(highest_bound, most_buckets)) + 1;
    head_.assign(idx(buckets), kNone);
    next_.resize(idx(num_vertices));
    top_ = buckets - 1;
    least_ = least;
    high_ = {};
  }

  // The bound must be below the level taken last.
  void enqueue(Rank vertex, Node bound) {
    if (bound <= least_) return;
    if (idx(bound) >= head_.size()) {
      high_.emplace(bound, vertex);
      return;
    }
    assert(bound <= top_);
    next_[idx(vertex)] = head_[idx(bound)];
    head_[idx(bound)] = vertex;
  }

  // Takes all vertices of the highest bound out of the queue; none if it is empty.
  std::optional<Level> take_highest() {
    level_.clear();
    if (!high_.empty()) {
      const Node bound = high_.top().first;
      for (; !high_.empty() && high_.top().first == bound; high_.pop()) level_.push_back(high_.top().second);
      return Level{bound, level_.span()};
    }
    while (top_ > 0 && head_[idx(top_)] == kNone) --top_;
    if (top_ <= 0) return std::nullopt;
    for (Rank v = std::exchange(head_[idx(top_)], kNone); v != kNone; v = next_[idx(v)]) level_.push_back(v);
    return Level{top_, level_.span()};
  }

 private:
  static constexpr Rank kNone{-1};

  ChargedBuffer<Rank> head_;  // the first vertex of each bucket
  ChargedBuffer<Rank> next_;  // the vertex after each vertex in its bucket
  Node top_ = 0;
  Node least_ = 0;
  std::priority_queue<std::pair<Node, Rank>> high_;
  ChargedBuffer<Rank> level_;
};

}  // namespace cliquepool
