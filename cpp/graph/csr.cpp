#include "graph/csr.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "base/charged_buffer.hpp"
#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "graph/csr_by_parts.hpp"

namespace cliquepool {
namespace {

constexpr std::size_t kEdgesWorthParts = std::size_t{1} << 18;

// A graph under construction.
struct ChargedGraph {
  ChargedBuffer<Offset> offsets;
  ChargedBuffer<Node> neighbours;

  GraphView view() const { return {offsets.span(), neighbours.span()}; }
  Graph take() { return {offsets.take(), neighbours.take()}; }
};

[[noreturn]] void fail_on_edge(std::size_t edge, std::int64_t u, std::int64_t v, Node num_nodes) {
  throw GraphError(
      "edge " + std::to_string(edge) + ": expected " +
      (num_nodes == 0 ? "no edge in a graph of 0 nodes" : "node ids from 0 to " + std::to_string(num_nodes - 1)) +
      ", got (" + std::to_string(u) + ", " + std::to_string(v) + ")");
}

enum class Order { none, ascending, strictly_ascending };

// Returns the order of every list of neighbours. Counts where the flat array does not increase, and subtracts the
// boundaries between lists, where it need not: one long loop instead of one short loop for each node.
Order order_of_neighbours(GraphView view, Budget& budget) {
  const std::span<const Offset> offsets = view.offsets;  // clang before 16 captures no structured binding
  const std::span<const Node> neighbours = view.neighbours;
  std::size_t descents = 0;
  std::size_t repeats = 0;
  for_each_block(neighbours.size(), budget, [&](std::size_t first, std::size_t last) {
    std::size_t block_descents = 0;  // locals stay in registers
    std::size_t block_repeats = 0;
    for (std::size_t i = std::max<std::size_t>(first, 1); i < last; ++i) {
      block_descents += neighbours[i] < neighbours[i - 1];
      block_repeats += neighbours[i] == neighbours[i - 1];
    }
    descents += block_descents;
    repeats += block_repeats;
  });
  for_each_block(offsets.size() - 1, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t v = std::max<std::size_t>(first, 1); v < last; ++v) {
      const std::size_t start = idx(offsets[v]);
      if (start == idx(offsets[v - 1]) || start == neighbours.size()) continue;  // subtracted before, or the end
      descents -= neighbours[start] < neighbours[start - 1];
      repeats -= neighbours[start] == neighbours[start - 1];
    }
  });
  return descents > 0 ? Order::none : repeats > 0 ? Order::ascending : Order::strictly_ascending;
}

// Appends each node, in ascending order, to the lists of its neighbours. Both directions of every edge are present, so
// these are the same lists, now sorted.
void sort_neighbours(ChargedGraph& graph, Budget& budget) {
  const GraphView view = graph.view();
  const std::size_t num_nodes = idx(view.num_nodes());
  ChargedBuffer<Offset> ends(budget, num_nodes);
  std::copy_n(view.offsets.data(), num_nodes, ends.data());
  ChargedBuffer<Node> sorted(budget, view.neighbours.size());
  Pace pace(budget);
  for (Node v = 0; v < view.num_nodes(); ++v) {
    for (const Node w : view[v]) sorted[idx(ends[idx(w)]++)] = v;
    pace.step(idx(view.degree(v)) + 1);
  }
  graph.neighbours = std::move(sorted);
}

// Keeps one of equal neighbours in each sorted list.
void merge_parallel_edges(ChargedGraph& graph, Budget& budget) {
  Node* const neighbours = graph.neighbours.data();
  Offset* const offsets = graph.offsets.data();
  const std::size_t num_nodes = graph.offsets.size() - 1;
  Offset kept = 0;
  Offset start = 0;
  Pace pace(budget);
  for (std::size_t v = 0; v < num_nodes; ++v) {
    const Offset end = offsets[v + 1];
    Node last = -1;
    for (Offset i = start; i < end; ++i) {
      const Node neighbour = neighbours[i];
      neighbours[kept] = neighbour;
      kept += neighbour != last;
      last = neighbour;
    }
    pace.step(idx(end - start) + 1);
    start = end;
    offsets[v + 1] = kept;
  }
  graph.neighbours.resize(idx(kept));
  graph.neighbours.shrink_to_fit();
}

template <typename Number>
std::string text(Number value) {
  return std::to_string(value);
}

void validate_offsets(const GraphView& graph) {
  const auto& [offsets, neighbours] = graph;
  if (offsets.empty()) throw GraphError("expected num_nodes + 1 offsets, got none");
  if (offsets.size() - 1 > idx(kMaxNodes)) {
    throw GraphError("expected at most " + text(kMaxNodes) + " nodes, got " + text(offsets.size() - 1));
  }
  if (offsets.front() != 0) throw GraphError("expected the first offset to be 0, got " + text(offsets.front()));
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      throw GraphError("expected offsets that never fall, got " + text(offsets[i - 1]) + " and then " +
                       text(offsets[i]) + " at position " + text(i));
    }
  }
  if (static_cast<std::uint64_t>(offsets.back()) != neighbours.size()) {
    throw GraphError("expected the last offset to be the number of neighbours, " + text(neighbours.size()) + ", got " +
                     text(offsets.back()));
  }
}

// Checks every list of neighbours by itself. The offsets are valid.
void validate_neighbours(const GraphView& graph, Budget& budget) {
  const auto& [offsets, neighbours] = graph;
  const std::size_t num_nodes = offsets.size() - 1;
  Pace pace(budget);
  for (std::size_t v = 0; v < num_nodes; ++v) {
    Node last = -1;
    for (const Node w : neighbours.subspan(idx(offsets[v]), idx(offsets[v + 1] - offsets[v]))) {
      if (w < 0 || idx(w) >= num_nodes) {
        throw GraphError("node " + text(v) + ": expected neighbours from 0 to " + text(num_nodes - 1) + ", got " +
                         text(w));
      }
      if (idx(w) == v) throw GraphError("node " + text(v) + ": expected no loop, got the node among its neighbours");
      if (w <= last) {
        throw GraphError("node " + text(v) + ": expected distinct neighbours in ascending order, got " + text(last) +
                         " and then " + text(w));
      }
      last = w;
      pace.step();
    }
  }
}

// Both nodes and lists are ascending: for each v that lists w, the next unread neighbour of w must be v.
void validate_both_directions(const GraphView& graph, Budget& budget) {
  const auto& [offsets, neighbours] = graph;
  const std::size_t num_nodes = offsets.size() - 1;
  Pace pace(budget);
  ChargedBuffer<Offset> next(budget, num_nodes);
  std::copy_n(offsets.data(), num_nodes, next.data());
  for (std::size_t v = 0; v < num_nodes; ++v) {
    for (Offset i = offsets[v]; i < offsets[v + 1]; ++i) {
      const std::size_t w = idx(neighbours[idx(i)]);
      const std::size_t listed = next[w] == offsets[w + 1] ? num_nodes : idx(neighbours[idx(next[w])]);
      if (listed != v) {
        const auto [from, to] = listed < v ? std::pair{w, listed} : std::pair{v, w};
        throw GraphError("expected both directions of every edge, got node " + text(to) + " among the neighbours of " +
                         text(from) + ", but not node " + text(from) + " among those of " + text(to));
      }
      ++next[w];
      pace.step();
    }
  }
}

// Checks the ids on several threads. The error names the first edge that is wrong.
template <NodeId Id>
void check_ids(Endpoints<Id> sources, Endpoints<Id> targets, std::size_t num_edges, Node num_nodes, unsigned threads,
               Budget& budget) {
  constexpr std::size_t kEdgesPerRange = std::size_t{1} << 16;
  const auto is_node = [num_nodes](std::int64_t id) { return id >= 0 && id < num_nodes; };
  std::atomic<std::size_t> first_wrong = num_edges;
  share_ranges(threads, num_edges, kEdgesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    if (first > first_wrong) return;
    for (std::size_t edge = first; edge < last; ++edge) {
      if (is_node(sources[edge]) && is_node(targets[edge])) continue;
      std::size_t known = first_wrong;
      while (edge < known && !first_wrong.compare_exchange_weak(known, edge)) {
      }
      return;
    }
  });
  if (const std::size_t edge = first_wrong; edge < num_edges)
    fail_on_edge(edge, sources[edge], targets[edge], num_nodes);
}

// Counts the neighbours of each node, then writes them to its list: the fastest way while all lists are in the cache.
template <NodeId Id>
Graph build_by_nodes(Endpoints<Id> sources, Endpoints<Id> targets, std::size_t num_edges, Node num_nodes,
                     Budget& budget) {
  const auto is_node = [num_nodes](std::int64_t id) { return id >= 0 && id < num_nodes; };
  const std::size_t n = idx(num_nodes);

  // One more than the offsets: writing the neighbours of v moves ends[v] to offsets[v + 1].
  ChargedGraph graph{ChargedBuffer<Offset>(budget, n + 2, 0), ChargedBuffer<Node>(budget)};
  Offset* const ends = graph.offsets.data() + 1;
  for_each_block(num_edges, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t edge = first; edge < last; ++edge) {
      const Id u = sources[edge];
      const Id v = targets[edge];
      if (!is_node(u) || !is_node(v)) fail_on_edge(edge, u, v, num_nodes);
      const Offset counts = u != v;
      ends[u + 1] += counts;
      ends[v + 1] += counts;
    }
  });
  for_each_block(n, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) ends[v + 1] += ends[v];
  });

  const auto total = idx(ends[n]);
  graph.neighbours.resize(total);
  Node* const neighbours = graph.neighbours.data();
  for_each_block(num_edges, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t edge = first; edge < last; ++edge) {
      const auto u = static_cast<Node>(sources[edge]);
      const auto v = static_cast<Node>(targets[edge]);
      if (u == v) continue;
      neighbours[ends[u]++] = v;
      neighbours[ends[v]++] = u;
    }
  });
  graph.offsets.resize(n + 1);

  // Sorted edges, as in most files, leave the lists sorted.
  Order order = order_of_neighbours(graph.view(), budget);
  if (order == Order::none) {
    sort_neighbours(graph, budget);
    order = order_of_neighbours(graph.view(), budget);
  }
  if (order != Order::strictly_ascending) merge_parallel_edges(graph, budget);
  return graph.take();
}

}  // namespace

template <NodeId Id>
Graph build_graph(Endpoints<Id> sources, Endpoints<Id> targets, std::size_t num_edges, Node num_nodes, Budget& budget,
                  unsigned threads) {
  if (num_edges < kEdgesWorthParts) return build_by_nodes(sources, targets, num_edges, num_nodes, budget);
  check_ids(sources, targets, num_edges, num_nodes, threads, budget);
  return build_by_parts(sources, targets, num_edges, num_nodes, threads, budget);
}

template Graph build_graph(Endpoints<std::int32_t>, Endpoints<std::int32_t>, std::size_t, Node, Budget&, unsigned);
template Graph build_graph(Endpoints<std::int64_t>, Endpoints<std::int64_t>, std::size_t, Node, Budget&, unsigned);

void validate_csr(const GraphView& graph, Budget& budget) {
  validate_offsets(graph);
  validate_neighbours(graph, budget);
  validate_both_directions(graph, budget);
}

}  // namespace cliquepool
