#include "pooling/colour_bounds.hpp"

#include <algorithm>
#include <thread>

#include "base/atomics.hpp"
#include "base/parallel.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kVerticesPerRange = 256;
constexpr Node kWorthThreads = 1 << 14;  // vertices; for fewer, starting threads costs more
constexpr Node kNoColour = -1;
constexpr int kYieldsPerCheck = 256;

// Marks the heaviest of each colour among the later neighbours of v. Returns its weight with theirs.
template <typename ColourOf>
Node mark(const RemainingGraph& graph, Rank v, Node* marks, ColourOf&& colour_of) {
  Node bound = graph.weight(v);
  for (const Rank u : graph.later(v)) {
    Node& heaviest = marks[idx(colour_of(u))];
    const Node more = std::max(graph.weight(u) - heaviest, 0);  // no branch: colours repeat at random
    bound += more;
    heaviest += more;
  }
  return bound;
}

}  // namespace

void ColourBounds::bind(Budget& budget) { bind_all(budget, colour_, bound_); }

void ColourBounds::unbind() {
  unbind_all(colour_, bound_);
  marks_.clear();
}

// From the last vertex to the first: a vertex takes the least colour that none of its later neighbours has. Threads
// take ranges in this order, and wait where a later neighbour is still being coloured (Jones, Plassmann 1993). The
// thread that has the last range not yet coloured never waits, so that there is always progress.
void ColourBounds::colour(const RemainingGraph& graph, unsigned threads, Budget& budget) {
  const Node n = graph.num_vertices();
  marks_.clear();
  for (unsigned thread = 0; thread < threads; ++thread) marks_.emplace_back(budget, idx(graph.degeneracy()) + 2, 0);
  if (n < kWorthThreads) threads = 1;
  colour_.assign(idx(n), kNoColour);
  bound_.resize(idx(n));
  share_ranges(threads, idx(n), kVerticesPerRange, budget, [&](unsigned thread, std::size_t first, std::size_t last) {
    Node* const marks = marks_[thread].data();
    for (std::size_t i = first; i < last; ++i) {
      const Rank v{n - 1 - static_cast<Node>(i)};
      bound_[idx(v)] = mark(graph, v, marks, [&](Rank u) { return colour_of(u, budget); });
      Node free_colour = 0;
      while (marks[free_colour] != 0) ++free_colour;
      for (const Rank u : graph.later(v)) marks[idx(atomic_load(colour_[idx(u)]))] = 0;
      atomic_store(colour_[idx(v)], free_colour);
    }
  });
}

// Waits until v is coloured.
Node ColourBounds::colour_of(Rank v, Budget& budget) const {
  const Node& colour = colour_[idx(v)];
  for (int yields = 1;; ++yields) {
    if (const Node known = atomic_load(colour); known != kNoColour) return known;
    std::this_thread::yield();
    if (yields % kYieldsPerCheck == 0) budget.check();  // the thread to wait for may have failed
  }
}

void ColourBounds::forget_initial_bounds() {
  const bool large = bound_.size() >= idx(kWorthThreads);  // small graphs are coloured one after another in this memory
  bound_.clear();
  if (large) bound_.shrink_to_fit();
}

Node ColourBounds::bound(const RemainingGraph& graph, Rank v, unsigned thread) {
  Node* const marks = marks_[thread].data();
  const Node bound = mark(graph, v, marks, [&](Rank u) { return colour_[idx(u)]; });
  for (const Rank u : graph.later(v)) marks[idx(colour_[idx(u)])] = 0;
  return bound;
}

}  // namespace cliquepool
