#include "graph/oriented_graph.hpp"

#include <algorithm>

namespace cliquepool {

template <>
void OrientedGraph<Rank>::build(GraphView graph, Pace& pace) {
  start_.clear();
  start_.reserve(idx(graph.num_nodes()) + 1);
  start_.push_back(0);
  later_.resize(idx(graph.num_edges()));
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
