#include "pooling/remaining_graph.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>

#include "base/parallel.hpp"
#include "base/parallel_flags.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kVerticesPerRange = std::size_t{1} << 14;

}  // namespace

void RemainingGraph::build(const WeightedGraph& graph, std::span<const unsigned char> live, unsigned threads,
                           Budget& budget) {
  oriented_.build(graph.graph, threads, budget);
  const std::size_t n = idx(num_vertices());
  num_later_.resize(n);
  live_.resize(n);
  const bool unit_weights =
      std::all_of(graph.weights.begin(), graph.weights.end(), [](Node weight) { return weight == 1; });
  weight_.resize(unit_weights ? 0 : n);
  share_ranges(threads, n, kVerticesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t rank = first; rank < last; ++rank) {
      const Rank v{static_cast<Node>(rank)};
      num_later_[rank] = static_cast<Node>(oriented_.later(v).size());
      live_[rank] = live[idx(vertex(v))];
      if (!unit_weights) weight_[rank] = graph.weight(vertex(v));
    }
  });
  rows_.reset(num_vertices(), threads);
}

void RemainingGraph::remove(std::span<const Node> vertices, unsigned threads, Budget& budget) {
  clear_flags(live_.data(), vertices, threads, budget, [&](Node v) { return idx(oriented_.rank(v)); });
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

std::size_t RemainingGraph::build_rows(Rank v, std::span<unsigned char> index_of, std::span<Word> rows,
                                       unsigned thread) {
  const auto neighbours = later(v);
  assert(neighbours.size() < kWordBits && neighbours.size() == rows.size());
  unsigned char* const index = index_of.data();
  prefetch_later_of(neighbours);
  for (std::size_t i = 0; i < neighbours.size(); ++i) index[idx(neighbours[i])] = static_cast<unsigned char>(i + 1);
  std::size_t work = 0;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    // Falling ranks: the later neighbours of this one come before it, so that each edge is seen once, here.
    const auto others = later(neighbours[i]);
    Word joined = 0;
    for (const Rank u : others) joined |= Word{1} << index[idx(u)];
    rows[i] = joined & ~Word{1};
    for (Word bits = rows[i]; bits != 0; bits &= bits - 1) rows[idx(std::countr_zero(bits)) - 1] |= Word{2} << i;
    work += others.size();
  }
  for (const Rank u : neighbours) index[idx(u)] = 0;
  rows_.save(v, rows, thread);
  return work;
}

}  // namespace cliquepool
