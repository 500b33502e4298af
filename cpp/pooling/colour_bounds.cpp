#include "pooling/colour_bounds.hpp"

#include <algorithm>
#include <thread>

#include "base/atomics.hpp"
#include "base/parallel.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kVerticesPerRange = 256;
constexpr Node kWorthThreads = 1 << 14;  // vertices; for fewer, starting threads costs more
template <typename Colour>
constexpr auto kNoColour = static_cast<Colour>(-1);
constexpr Node kMostNarrowColours = kNoColour<unsigned char>;
constexpr int kYieldsPerCheck = 256;

// Waits until a vertex is coloured.
template <typename Colour>
Colour known_colour(const Colour& colour, Budget& budget) {
  for (int yields = 1;; ++yields) {
    if (const Colour known = atomic_load(colour); known != kNoColour<Colour>) return known;
    std::this_thread::yield();
    if (yields % kYieldsPerCheck == 0) budget.check();  // the thread to wait for may have failed
  }
}

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

void ColourBounds::bind(Budget& budget) { bind_all(budget, narrow_, wide_, bound_); }

void ColourBounds::unbind() {
  unbind_all(narrow_, wide_, bound_);
  marks_.clear();
}

void ColourBounds::colour(const RemainingGraph& graph, unsigned threads, Budget& budget) {
  const std::size_t n = idx(graph.num_vertices());
  const Node most_colours = graph.degeneracy() + 1;
  marks_.clear();
  for (unsigned thread = 0; thread < threads; ++thread) marks_.emplace_back(budget, idx(most_colours) + 1, 0);
  if (n < idx(kWorthThreads)) threads = 1;
  bound_.resize(n);
  narrow_.clear();
  wide_.clear();
  if (most_colours <= kMostNarrowColours) {
    narrow_.assign(n, kNoColour<unsigned char>);
    colour_all(graph, narrow_.data(), threads, budget);
  } else {
    wide_.assign(n, kNoColour<Node>);
    colour_all(graph, wide_.data(), threads, budget);
  }
}

// From the last vertex to the first: a vertex takes the least colour that none of its later neighbours has. Threads
// take ranges in this order, and wait where a later neighbour is still being coloured (Jones, Plassmann 1993). The
// thread that has the last range not yet coloured never waits, so that there is always progress.
template <typename Colour>
void ColourBounds::colour_all(const RemainingGraph& graph, Colour* colours, unsigned threads, Budget& budget) {
  const Node n = graph.num_vertices();
  share_ranges(threads, idx(n), kVerticesPerRange, budget, [&](unsigned thread, std::size_t first, std::size_t last) {
    Node* const marks = marks_[thread].data();
    for (std::size_t i = first; i < last; ++i) {
      const Rank v{n - 1 - static_cast<Node>(i)};
      bound_[idx(v)] = mark(graph, v, marks, [&](Rank u) { return known_colour(colours[idx(u)], budget); });
      Node free_colour = 0;
      while (marks[free_colour] != 0) ++free_colour;
      for (const Rank u : graph.later(v)) marks[idx(atomic_load(colours[idx(u)]))] = 0;
      atomic_store(colours[idx(v)], static_cast<Colour>(free_colour));
    }
  });
}

void ColourBounds::forget_initial_bounds() {
  const bool large = bound_.size() >= idx(kWorthThreads);  // small graphs are coloured one after another in this memory
  bound_.clear();
  if (large) bound_.shrink_to_fit();
}

Node ColourBounds::bound(const RemainingGraph& graph, Rank v, unsigned thread) {
  Node* const marks = marks_[thread].data();
  const auto bound_by = [&](const auto* colours) {
    const Node bound = mark(graph, v, marks, [&](Rank u) { return colours[idx(u)]; });
    for (const Rank u : graph.later(v)) marks[idx(colours[idx(u)])] = 0;
    return bound;
  };
  return wide_.empty() ? bound_by(narrow_.data()) : bound_by(wide_.data());
}

}  // namespace cliquepool
