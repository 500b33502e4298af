#include "disk/later_lists.hpp"

#include <algorithm>
#include <cassert>
#include <functional>

#include "base/charged_buffer.hpp"
#include "graph/degeneracy.hpp"

namespace cliquepool {

void write_later_lists(GraphView graph, const LaterLists& to, Budget& budget) {
  assert(to.order.size() == idx(graph.num_nodes()) && to.offsets.size() == to.order.size() + 1);
  assert(to.later.size() == idx(graph.num_edges()));
  Pace pace(budget);
  DegeneracyOrder order;
  const ChargeScope scope(budget, order);
  Offset end = 0;
  std::size_t rank = 0;
  to.offsets[0] = 0;
  // The ranks of later neighbours are not known yet: their lists are written as ids first.
  order.compute(graph, pace, [&](Node v, std::span<const Node> later) {
    to.order[rank] = v;
    std::copy(later.begin(), later.end(), to.later.begin() + end);
    end += static_cast<Offset>(later.size());
    to.offsets[++rank] = end;
  });
  const auto ranks = order.rank();
  for (std::size_t v = 0; v < to.order.size(); ++v) {
    const auto list = to.later.subspan(idx(to.offsets[v]), idx(to.offsets[v + 1] - to.offsets[v]));
    for (Node& u : list) u = static_cast<Node>(ranks[idx(u)]);
    std::sort(list.begin(), list.end(), std::greater<>());
    pace.step(list.size() + 1);
  }
}

}  // namespace cliquepool
