#include "disk/quotient_rows.hpp"

#include <cassert>

namespace cliquepool {

QuotientRows::QuotientRows(GraphView graph, std::span<const Node> classes, Budget& budget)
    : graph_(graph), classes_(classes), budget_(budget), is_smallest_(budget, classes.size()) {
  assert(classes.size() == idx(graph.num_nodes()));
  Node next = 0;
  for (std::size_t v = 0; v < classes.size(); ++v) {
    is_smallest_[v] = classes[v] == next;
    next += is_smallest_[v];
  }
}

template <typename Visit>
void QuotientRows::for_each_representative(Visit&& visit) {
  Pace pace(budget_);
  for (Node v = 0; v < graph_.num_nodes(); ++v) {
    if (is_smallest_[idx(v)]) {
      visit(classes_[idx(v)], graph_[v]);
      pace.step(graph_[v].size());
    }
    pace.step();
  }
}

void QuotientRows::write_offsets(std::span<Offset> offsets) {
  Offset end = 0;
  offsets[0] = 0;
  for_each_representative([&](Node c, std::span<const Node> neighbours) {
    for (const Node u : neighbours) end += is_smallest_[idx(u)];
    offsets[idx(c) + 1] = end;
  });
}

void QuotientRows::write_neighbours(std::span<Node> neighbours) {
  std::size_t end = 0;
  for_each_representative([&](Node, std::span<const Node> nodes) {
    // Classes are numbered by their smallest nodes, so that this list is ascending.
    for (const Node u : nodes)
      if (is_smallest_[idx(u)]) neighbours[end++] = classes_[idx(u)];
  });
}

}  // namespace cliquepool
