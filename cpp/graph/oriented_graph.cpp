#include "graph/oriented_graph.hpp"

#include <algorithm>

#include "base/large_pages.hpp"
#include "base/parallel.hpp"
#include "graph/neighbour_prefetch.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kVerticesPerRange = 1024;
constexpr std::size_t kNeighboursWorthThreads = 1 << 16;

}  // namespace

template <>
void OrientedGraph<Rank>::build(GraphView graph, Pace& pace) {
  start_.clear();
  start_.reserve(idx(graph.num_nodes()) + 1);
  start_.push_back(0);
  later_.resize(idx(graph.num_edges()));
  advise_large_pages(later_);
  // The ranks of later neighbours are not known yet: their lists are kept as ids first.
  Rank* end = later_.data();
  order_.compute(graph, pace, [&](Node, std::span<const Node> later) {
    for (const Node u : later) *end++ = static_cast<Rank>(u);
    start_.push_back(static_cast<Offset>(end - later_.data()));
  });
  const Rank* const rank = order_.rank().data();
  for (Rank& u : later_.span()) {
    u = rank[idx(u)];
    pace.step();
  }
}

template <>
void OrientedGraph<Rank>::build(GraphView graph, unsigned threads, Budget& budget) {
  if (threads <= 1 || graph.neighbours.size() < kNeighboursWorthThreads) {
    Pace pace(budget);
    build(graph, pace);
  } else {
    const std::size_t n = idx(graph.num_nodes());
    start_.resize(n + 1);
    start_[0] = 0;
    order_.compute(graph, threads, budget, start_.span().subspan(1));
    for_each_block(n, budget, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) start_[i + 1] += start_[i];
    });
    list_later(graph, threads, budget);
  }
  // Small graphs are oriented one after another in the same memory.
  if (graph.neighbours.size() >= kNeighboursWorthThreads) order_.forget_work();
}

// Writes the later neighbours of each vertex: their number is known.
template <>
void OrientedGraph<Rank>::list_later(GraphView graph, unsigned threads, Budget& budget) {
  const auto order = order_.order();
  const Rank* const rank = order_.rank().data();
  later_.resize(idx(start_.back()));
  advise_large_pages(later_);
  const NeighbourPrefetch prefetch(graph, rank);
  share_ranges(threads, order.size(), kVerticesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      prefetch(order.subspan(i, last - i));
      Rank* to = later_.data() + start_[i];
      for (const Node u : graph[order[i]])
        if (rank[u] > static_cast<Rank>(i)) *to++ = rank[u];
    }
  });
}

template <>
void OrientedGraph<Node>::build(GraphView graph, Pace& pace) {
  order_.compute(graph, pace);
  const Rank* const rank = order_.rank().data();
  const Node n = graph.num_nodes();
  start_.resize(idx(n) + 1);
  later_.resize(idx(graph.num_edges()) + 1);  // one more, to be written and overwritten without a branch
  Offset end = 0;
  for (Node v = 0; v < n; ++v) {
    start_[idx(v)] = end;
    for (const Node u : graph[v]) {
      later_[idx(end)] = u;
      end += rank[u] > rank[v];
    }
    pace.step(1 + graph[v].size() / 16);
  }
  start_[idx(n)] = end;
}

}  // namespace cliquepool
