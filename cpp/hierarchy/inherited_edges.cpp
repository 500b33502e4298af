#include "hierarchy/inherited_edges.hpp"

namespace cliquepool {

namespace {

// The pools of every vertex.
Ragged invert(RaggedView pools, Node num_vertices, Pace& pace) {
  Ragged memberships;
  memberships.offsets.assign(idx(num_vertices) + 1, 0);
  memberships.members.resize(pools.members.size());
  for (const Node v : pools.members) ++memberships.offsets[idx(v) + 1];
  for (std::size_t v = 0; v < idx(num_vertices); ++v) memberships.offsets[v + 1] += memberships.offsets[v];
  Buffer<Offset> next;
  next.append(memberships.offsets.span());
  for (Offset p = 0; p < pools.size(); ++p) {
    for (const Node v : pools[p]) memberships.members[idx(next[idx(v)]++)] = static_cast<Node>(p);
    pace.step(pools[p].size());
  }
  return memberships;
}

}  // namespace

Buffer<std::int64_t> count_inherited_edges(GraphView graph, std::span<const Node> sizes, RaggedView pools,
                                           GraphView coarse, Budget& budget) {
  const Node n = graph.num_nodes();
  budget.add_bytes(static_cast<std::int64_t>(coarse.neighbours.size() * 8 + pools.members.size() * 4 + idx(n) * 24));
  Pace pace(budget);
  const Ragged memberships = invert(pools, n, pace);
  Buffer<std::int64_t> reached(idx(n), 0);  // edges from the pool at hand into each class
  Buffer<Node> classes;
  Buffer<std::int64_t> to_pool(idx(pools.size()), 0);
  Buffer<std::int64_t> weights(coarse.neighbours.size());

  for (Offset p = 0; p < pools.size(); ++p) {
    classes.clear();
    const auto reach = [&](Node c, std::int64_t edges) {
      if (edges == 0) return;
      if (reached[idx(c)] == 0) classes.push_back(c);
      reached[idx(c)] += edges;
    };
    for (const Node c : pools[p]) {
      const std::int64_t size = sizes[idx(c)];
      reach(c, size * (size - 1));
      for (const Node d : graph[c]) reach(d, size * sizes[idx(d)]);
      pace.step(idx(graph.degree(c)));
    }
    for (const Node c : classes.span()) {
      const auto pools_of_class = memberships[c];
      for (const Node q : pools_of_class) to_pool[idx(q)] += reached[idx(c)];
      reached[idx(c)] = 0;
      pace.step(pools_of_class.size());
    }
    to_pool[idx(p)] = 0;
    const Node pool = static_cast<Node>(p);
    const Offset begin = coarse.offsets[idx(p)];
    for (Node i = 0; i < coarse.degree(pool); ++i) {
      std::int64_t& count = to_pool[idx(coarse[pool][idx(i)])];
      weights[idx(begin + i)] = count;
      count = 0;
    }
    pace.step(idx(coarse.degree(pool)));
  }
  return weights;
}

}  // namespace cliquepool
