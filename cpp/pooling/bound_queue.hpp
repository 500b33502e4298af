// Vertices waiting at their upper bound; taken level by level, highest bound first.
#pragma once

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace cliquepool {

// A bucket queue; bounds beyond the buckets (few vertices have them: huge twin classes) wait in a heap.
class BoundQueue {
 public:
  void reset(Node num_vertices, Node highest_bound) {
    const std::int64_t most_buckets = std::int64_t{4} * num_vertices + 1024;
    const Node buckets = static_cast<Node>(std::min<std::int64_t>(highest_bound, most_buckets)) + 1;
    head_.assign(idx(buckets), kNone);
    next_.resize(idx(num_vertices));
    top_ = buckets - 1;
    high_ = {};
  }

  // Only bounds below the level taken last may be put back.
  void push(Node vertex, Node bound) {
    if (idx(bound) >= head_.size()) {
      high_.emplace(bound, vertex);
      return;
    }
    assert(bound <= top_);
    next_[idx(vertex)] = head_[idx(bound)];
    head_[idx(bound)] = vertex;
  }

  // Moves all vertices of the highest bound into `level`; false when none wait. Bound 0 is never waited at.
  bool take_level(Node& bound, Buffer<Node>& level) {
    level.clear();
    if (!high_.empty()) {
      bound = high_.top().first;
      for (; !high_.empty() && high_.top().first == bound; high_.pop()) level.push_back(high_.top().second);
      return true;
    }
    while (top_ > 0 && head_[idx(top_)] == kNone) --top_;
    if (top_ <= 0) return false;
    bound = top_;
    for (Node v = std::exchange(head_[idx(top_)], kNone); v != kNone; v = next_[idx(v)]) level.push_back(v);
    return true;
  }

 private:
  static constexpr Node kNone = -1;
  Buffer<Node> head_;
  Buffer<Node> next_;
  Node top_ = 0;
  std::priority_queue<std::pair<Node, Node>> high_;
};

}  // namespace cliquepool
