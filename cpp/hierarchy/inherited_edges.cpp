#include "hierarchy/inherited_edges.hpp"

#include <algorithm>

#include "base/charged_buffer.hpp"

namespace cliquepool {

namespace {

// The pools of each vertex: the transpose of the pools.
struct Memberships {
  ChargedBuffer<Offset> start;
  ChargedBuffer<Node> pools;

  Memberships(RaggedView of_pools, Node num_vertices, Budget& budget)
      : start(budget, idx(num_vertices) + 1, 0), pools(budget, of_pools.members.size()) {
    Pace pace(budget);
    for (const Node v : of_pools.members) ++start[idx(v) + 1];
    for (std::size_t v = 0; v < idx(num_vertices); ++v) start[v + 1] += start[v];
    ChargedBuffer<Offset> next(budget, start.size());
    std::copy(start.begin(), start.end(), next.begin());
    for (Offset p = 0; p < of_pools.size(); ++p) {
      for (const Node v : of_pools[p]) pools[idx(next[idx(v)]++)] = static_cast<Node>(p);
      pace.step(of_pools[p].size());
    }
  }
  std::span<const Node> operator[](Node v) const {
    return pools.span().subspan(idx(start[idx(v)]), idx(start[idx(v) + 1] - start[idx(v)]));
  }
};

}  // namespace

Buffer<std::int64_t> count_inherited_edges(GraphView graph, std::span<const Node> sizes, RaggedView pools,
                                           GraphView coarse, Budget& budget) {
  const Node n = graph.num_nodes();
  ChargedBuffer<std::int64_t> counts(budget, coarse.neighbours.size());
  const Memberships memberships(pools, n, budget);
  ChargedBuffer<std::int64_t> reached(budget, idx(n), 0);  // edges from the current pool into each class
  ChargedBuffer<Node> classes(budget);                     // those with edges from it
  ChargedBuffer<std::int64_t> to_pool(budget, idx(pools.size()), 0);
  Pace pace(budget);

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
      counts[idx(begin + i)] = count;
      count = 0;
    }
    pace.step(idx(coarse.degree(pool)));
  }
  return counts.take();
}

}  // namespace cliquepool
