#include "pooling/remaining_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

namespace cliquepool {

void RemainingGraph::build(const WeightedGraph& graph, std::span<const unsigned char> live, Pace& pace) {
  oriented_.build(graph.graph, pace);
  const Node n = num_vertices();
  num_later_.resize(idx(n));
  live_.resize(idx(n));
  weight_.resize(idx(n));
  for (Node rank = 0; rank < n; ++rank) {
    const Rank v{rank};
    num_later_[idx(v)] = static_cast<Node>(oriented_.later(v).size());
    live_[idx(v)] = live[idx(vertex(v))];
    weight_[idx(v)] = graph.weight(vertex(v));
  }
  rows_.resize(idx(oriented_.num_edges()));
  has_rows_.assign(idx(n), 0);
}

// From the last vertex to the first: the later neighbours of a vertex are coloured before it, and it takes the least
// colour that none of them has.
std::span<const Node> RemainingGraph::colour(Pace& pace) {
  const Node n = num_vertices();
  colour_.resize(idx(n));
  bound_.resize(idx(n));
  heaviest_of_colour_.assign(idx(oriented_.degeneracy()) + 2, 0);
  for (Node rank = n; rank-- > 0;) {
    const Rank v{rank};
    bound_[idx(v)] = mark_colours(v);
    Node free_colour = 0;
    while (heaviest_of_colour_[idx(free_colour)] != 0) ++free_colour;
    colour_[idx(v)] = free_colour;
    unmark_colours(v);
    pace.step(later(v).size() + 1);
  }
  return bound_.span();
}

Node RemainingGraph::bound_by_colours(Rank v) {
  const Node bound = mark_colours(v);
  unmark_colours(v);
  return bound;
}

Node RemainingGraph::mark_colours(Rank v) {
  Node bound = weight_[idx(v)];
  for (const Rank u : later(v)) {
    Node& heaviest = heaviest_of_colour_[idx(colour_[idx(u)])];
    const Node more = std::max(weight_[idx(u)] - heaviest, 0);  // no branch: colours repeat at random
    bound += more;
    heaviest += more;
  }
  return bound;
}

void RemainingGraph::unmark_colours(Rank v) {
  for (const Rank u : later(v)) heaviest_of_colour_[idx(colour_[idx(u)])] = 0;
}

void RemainingGraph::refresh_later(Rank v) {
  Rank* const begin = all_later(v);
  Rank* keep = begin;
  for (const Rank u : later(v)) {
    *keep = u;
    keep += live_[idx(u)];
  }
  num_later_[idx(v)] = static_cast<Node>(keep - begin);
}

void RemainingGraph::sort_later(Rank v) {
  Rank* const neighbours = all_later(v);
  const std::size_t size = later(v).size();
  constexpr std::size_t kMostToCount = kWordBits;
  if (size > kMostToCount) {
    std::sort(neighbours, neighbours + size, std::greater<>());
    return;
  }
  // Few: the position of each is the number of higher ones, counted without branches.
  std::array<Rank, kMostToCount> ranks;
  const std::size_t padded = (size + 7) / 8 * 8;
  std::copy_n(neighbours, size, ranks.begin());
  for (std::size_t i = size; i < padded; ++i) ranks[i] = Rank{-1};
  for (std::size_t i = 0; i < size; ++i) {
    Node higher = 0;
    for (std::size_t j = 0; j < padded; ++j) higher += ranks[j] > ranks[i];
    neighbours[higher] = ranks[i];
  }
}

std::size_t RemainingGraph::build_rows(Rank v, std::span<unsigned char> index_of) {
  const auto neighbours = later(v);
  assert(neighbours.size() < kWordBits);
  unsigned char* const index = index_of.data();
  for (std::size_t i = 0; i < neighbours.size(); ++i) index[idx(neighbours[i])] = static_cast<unsigned char>(i + 1);
  Word* const row = rows_.data() + oriented_.start(v);
  std::size_t work = 0;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    // Falling ranks: the later neighbours of this one come before it, so that each edge is seen once, here.
    const auto others = later(neighbours[i]);
    Word joined = 0;
    for (const Rank u : others) joined |= Word{1} << index[idx(u)];
    row[i] = joined & ~Word{1};
    for (Word bits = row[i]; bits != 0; bits &= bits - 1) row[std::countr_zero(bits) - 1] |= Word{2} << i;
    work += others.size();
  }
  for (const Rank u : neighbours) index[idx(u)] = 0;
  has_rows_[idx(v)] = 1;
  return work;
}

}  // namespace cliquepool
