#include "graph/degeneracy.hpp"

#include <limits>
#include <numeric>
#include <utility>

#include "base/atomics.hpp"
#include "base/parallel.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kNodesPerRange = std::size_t{1} << 14;
constexpr std::size_t kTakenPerRange = 256;
constexpr std::size_t kNodesWorthThreads = 2048;  // taken at once; for fewer, starting threads costs more

}  // namespace

void DegeneracyOrder::prepare(GraphView graph) {
  const Node n = graph.num_nodes();
  order_.clear();
  order_.reserve(idx(n));
  rank_.resize(idx(n));
  degree_.resize(idx(n));
  waiting_.resize(idx(n));
  std::iota(waiting_.begin(), waiting_.end(), 0);
  degeneracy_ = 0;
  Node largest = 0;
  for (Node v = 0; v < n; ++v) {
    degree_[idx(v)] = graph.degree(v);
    largest = std::max(largest, degree_[idx(v)]);
  }
  later_.resize(idx(largest));
}

// Nodes that are in the order, but whose neighbours do not know it yet, are taken all at once: the nodes whose degrees
// fall to the level meanwhile are next. So each has at most `level` neighbours that are taken with it or after it.
void DegeneracyOrder::compute(GraphView graph, unsigned threads, Budget& budget, std::span<Offset> num_later) {
  prepare(graph);
  fallen_.clear();
  for (unsigned thread = 0; thread < threads; ++thread) fallen_.emplace_back(budget);
  Pace pace(budget);
  std::size_t taken = 0;
  for (Node level = 0; !waiting_.empty();) {
    pace.step(waiting_.size());
    const Node least_above = append_up_to(level);
    if (taken == order_.size()) {
      level = least_above;
      continue;
    }
    degeneracy_ = level;
    while (taken < order_.size()) {
      const std::size_t first_rank = std::exchange(taken, order_.size());
      take(graph, first_rank, level, taken - first_rank < kNodesWorthThreads ? 1 : threads, budget, num_later);
      for (ChargedBuffer<Node>& fallen : fallen_) {
        order_.append(fallen.span());
        fallen.clear();
      }
    }
    ++level;
  }
  share_ranges(threads, rank_.size(), kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) rank_[v] = static_cast<Rank>(rank_taken(degree_[v]));
  });
  fallen_.clear();
}

// Takes the nodes from `first_rank` on. They are marked with their ranks first, so that each knows which of them are
// later.
void DegeneracyOrder::take(GraphView graph, std::size_t first_rank, Node level, unsigned threads, Budget& budget,
                           std::span<Offset> num_later) {
  const auto nodes = order().subspan(first_rank);
  Node* const degree = degree_.data();
  share_ranges(threads, nodes.size(), kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) degree[nodes[i]] = taken_at(first_rank + i);
  });
  const NeighbourPrefetch prefetch(graph, degree);
  share_ranges(threads, nodes.size(), kTakenPerRange, budget,
               [&](unsigned thread, std::size_t first, std::size_t last) {
                 Pace pace(budget);
                 for (std::size_t i = first; i < last; ++i) {
                   const Node v = nodes[i];
                   const Node mark = taken_at(first_rank + i);
                   prefetch(nodes.subspan(i, last - i));
                   Offset later = 0;
                   for (const Node u : graph[v]) {
                     const Node left = atomic_decrease_above(degree[u], level);
                     later += left >= 0 || left < mark;
                     if (left == level + 1) fallen_[thread].push_back(u);
                   }
                   num_later[first_rank + i] = later;
                   pace.step(idx(graph.degree(v)));
                 }
               });
}

void DegeneracyOrder::forget_work() {
  for (auto* const nodes : {&degree_, &waiting_, &later_}) {
    nodes->clear();
    nodes->shrink_to_fit();
  }
}

void DegeneracyOrder::forget() {
  for (auto* const nodes : {&order_, &degree_, &waiting_, &later_}) *nodes = ChargedBuffer<Node>();
  rank_ = ChargedBuffer<Rank>();
}

// Moves the waiting nodes that have at most `level` neighbours left to the order, and forgets those already in it.
// Returns the least degree of the nodes that go on waiting.
Node DegeneracyOrder::append_up_to(Node level) {
  Node least_above = std::numeric_limits<Node>::max();
  Node* keep = waiting_.begin();
  for (const Node v : waiting_.span()) {
    const Node degree = degree_[idx(v)];
    if (degree < 0) continue;
    if (degree <= level) {
      order_.push_back(v);
      continue;
    }
    *keep++ = v;
    least_above = std::min(least_above, degree);
  }
  waiting_.resize(static_cast<std::size_t>(keep - waiting_.begin()));
  return least_above;
}

}  // namespace cliquepool
