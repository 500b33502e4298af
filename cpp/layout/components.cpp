#include "layout/components.hpp"

#include <algorithm>
#include <numeric>

#include "base/charged_buffer.hpp"

namespace cliquepool {

Ragged connected_components(GraphView graph, Budget& budget) {
  const std::size_t n = idx(graph.num_nodes());
  ChargedBuffer<Node> order(budget);  // component by component, in the order of their smallest nodes
  ChargedBuffer<Offset> starts(budget);
  ChargedBuffer<char> seen(budget, n, 0);
  Pace pace(budget);
  order.reserve(n);
  for (Node root = 0; root < graph.num_nodes(); ++root) {
    if (seen[idx(root)]) continue;
    starts.push_back(static_cast<Offset>(order.size()));
    seen[idx(root)] = 1;
    order.push_back(root);
    for (std::size_t head = idx(starts.back()); head < order.size(); ++head) {
      pace.step(idx(graph.degree(order[head])) + 1);
      for (const Node u : graph[order[head]]) {
        if (seen[idx(u)]) continue;
        seen[idx(u)] = 1;
        order.push_back(u);
      }
    }
    std::sort(order.begin() + starts.back(), order.end());
  }
  const std::size_t count = starts.size();
  starts.push_back(static_cast<Offset>(n));
  ChargedBuffer<Node> by_size(budget, count);
  std::iota(by_size.begin(), by_size.end(), 0);
  std::stable_sort(by_size.begin(), by_size.end(), [&](Node a, Node b) {
    return starts[idx(a) + 1] - starts[idx(a)] > starts[idx(b) + 1] - starts[idx(b)];
  });
  Ragged components;
  for (const Node c : by_size)
    components.append(order.span().subspan(idx(starts[idx(c)]), idx(starts[idx(c) + 1] - starts[idx(c)])));
  return components;
}

}  // namespace cliquepool
