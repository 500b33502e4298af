#include "graph/flat_graphs.hpp"

#include <algorithm>
#include <string>

#include "base/charged_buffer.hpp"
#include "base/errors.hpp"
#include "graph/csr.hpp"

namespace cliquepool {
namespace {

std::size_t num_graphs(std::span<const Offset> node_start) { return node_start.size() - 1; }

void check_starts(std::span<const Offset> node_start, std::size_t num_nodes) {
  const bool valid = !node_start.empty() && node_start.front() == 0 && idx(node_start.back()) == num_nodes &&
                     num_nodes <= idx(kMaxNodes) && std::is_sorted(node_start.begin(), node_start.end());
  if (!valid) throw GraphError("node_start: expected offsets from 0 to the number of nodes that never fall");
}

}  // namespace

std::optional<std::size_t> first_stray_edge(std::span<const Node> pairs, std::span<const Offset> node_start,
                                            Budget& budget) {
  const std::size_t num_nodes = node_start.empty() ? 0 : idx(node_start.back());
  check_starts(node_start, num_nodes);
  ChargedBuffer<Node> graph_of(budget, num_nodes);
  for (std::size_t graph = 0; graph < num_graphs(node_start); ++graph) {
    std::fill(graph_of.data() + node_start[graph], graph_of.data() + node_start[graph + 1], static_cast<Node>(graph));
  }
  const auto is_node = [num_nodes](Node id) { return id >= 0 && idx(id) < num_nodes; };
  Pace pace(budget);
  for (std::size_t edge = 0; edge < pairs.size() / 2; ++edge) {
    const Node u = pairs[2 * edge];
    const Node v = pairs[2 * edge + 1];
    if (!is_node(u) || !is_node(v) || graph_of[idx(u)] != graph_of[idx(v)]) return edge;
    pace.step();
  }
  return std::nullopt;
}

Graph build_flat_graphs(std::span<const Node> pairs, std::span<const Offset> node_start, Budget& budget) {
  if (const auto stray = first_stray_edge(pairs, node_start, budget)) {
    throw GraphError("edge " + std::to_string(*stray) + ": expected two nodes of one graph, got " +
                     std::to_string(pairs[2 * *stray]) + " and " + std::to_string(pairs[2 * *stray + 1]));
  }
  Graph all = build_graph<Node>(pairs, static_cast<Node>(node_start.back()), budget);
  for (std::size_t graph = 0; graph < num_graphs(node_start); ++graph) {
    const auto start = static_cast<Node>(node_start[graph]);
    Node* const first = all.neighbours.data() + all.offsets[idx(node_start[graph])];
    Node* const last = all.neighbours.data() + all.offsets[idx(node_start[graph + 1])];
    std::for_each(first, last, [start](Node& neighbour) { neighbour -= start; });
  }
  return all;
}

void validate_flat_graphs(std::span<const Offset> node_start, const GraphView& all, Budget& budget) {
  const auto offsets = all.offsets;
  if (offsets.empty() || offsets.front() != 0 || idx(offsets.back()) != all.neighbours.size() ||
      !std::is_sorted(offsets.begin(), offsets.end())) {
    throw GraphError("indptr: expected offsets from 0 to the number of neighbours that never fall");
  }
  check_starts(node_start, offsets.size() - 1);
  ChargedBuffer<Offset> shifted(budget);
  Pace pace(budget);  // most graphs are too small for the checks within validate_csr
  for (std::size_t graph = 0; graph < num_graphs(node_start); ++graph) {
    const auto rows = offsets.subspan(idx(node_start[graph]), idx(node_start[graph + 1] - node_start[graph]) + 1);
    shifted.resize(rows.size());
    pace.step(rows.size() + idx(rows.back() - rows.front()));
    std::transform(rows.begin(), rows.end(), shifted.begin(), [&](Offset offset) { return offset - rows.front(); });
    try {
      validate_csr({shifted.span(), all.neighbours.subspan(idx(rows.front()), idx(shifted.back()))}, budget);
    } catch (const GraphError& error) {
      throw GraphError("graph " + std::to_string(graph) + ": " + error.what());
    }
  }
}

}  // namespace cliquepool
