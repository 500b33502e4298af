#include "pooling/small_graph_pooling.hpp"

#include <algorithm>

#include "pooling/enumeration_effort.hpp"

namespace cliquepool {

void SmallGraphPooling::pool(PoolingRun& run) {
  // Reading the clock costs more than pooling a small graph: check every 16th.
  if (runs_++ % kRunsPerCheck == 0) run.budget().check();
  Node bound = kMaxNodes;
  if (words_.fill(run.graph())) bound = pool_by_enumeration(run);
  if (run.num_live() > 0 && run.wants_more()) pool_by_search(run, bound);
}

// Leaves no live vertices, unless the graph is too dense for enumeration or only the first round is wanted. Returns an
// upper bound on the weight of cliques of live vertices.
Node SmallGraphPooling::pool_by_enumeration(PoolingRun& run) {
  Ragged& pools = run.pools();
  Word live = words_.all();
  std::int64_t effort = enumeration_effort(run.graph().graph);
  Node weight = words_.bound();
  for (; run.num_live() > 0 && run.wants_more(); --weight) {
    const Word core = words_.peel(live, weight);
    if (core == 0) continue;
    const Offset pools_before = pools.size();
    const std::size_t members_before = pools.members.size();
    if (!words_.list_cliques(core, weight, pools, effort)) {
      // The round is incomplete: LocalSearch does it again.
      pools.offsets.resize(idx(pools_before) + 1);
      pools.members.resize(members_before);
      break;
    }
    const auto members = pools.members.span().subspan(members_before);
    for (const Node v : members) live &= ~words_.twins(v);
    run.remove(members);
  }
  run.charge_pools();
  return weight;
}

void SmallGraphPooling::pool_by_search(PoolingRun& run, Node bound) {
  build_search(run.graph(), run.live());
  FoundCliques& found = run.found();
  const auto vertex_of = [&](Node local) { return vertex_of_[idx(local)]; };
  Node weight = std::min(bound, search_.bound_by_colours());
  for (; run.num_live() > 0 && run.wants_more(); --weight) {
    while (found.lists.size() == 0)
      weight = found.append_heaviest(search_, weight, {}, vertex_of, run.pace(), run.budget());
    remove_from_search(run.close_round());
  }
}

// Where all copies fit into a word, a vertex of weight w becomes w copies: counting vertices is faster than adding up
// weights.
void SmallGraphPooling::build_search(const WeightedGraph& graph, std::span<const unsigned char> live) {
  const Node n = graph.num_nodes();
  std::int64_t total_weight = 0;
  for (const Node weight : graph.weights) total_weight += weight;
  const bool as_copies = total_weight <= kMostVertices;
  first_local_.resize(idx(n) + 1);
  vertex_of_.clear();
  vertex_of_.push_back(FoundCliques::kCopy);  // local vertices count from 1
  for (Node v = 0; v < n; ++v) {
    first_local_[idx(v)] = static_cast<Node>(vertex_of_.size());
    vertex_of_.push_back(v);
    for (Node copy = 1; as_copies && copy < graph.weight(v); ++copy) vertex_of_.push_back(FoundCliques::kCopy);
  }
  first_local_[idx(n)] = static_cast<Node>(vertex_of_.size());

  search_.reset(static_cast<Node>(vertex_of_.size()) - 1);
  for (Node v = 0; v < n; ++v) {
    const Node first = first_local_[idx(v)];
    const Node end = first_local_[idx(v) + 1];
    for (Node local = first; local < end; ++local) {
      search_.add(local, as_copies ? 1 : graph.weight(v), [&](auto&& join) {
        for (const Node u : graph.graph[v]) {
          if (u > v) break;
          for (Node other = first_local_[idx(u)]; other < first_local_[idx(u) + 1]; ++other) join(other);
        }
        for (Node other = first; other < local; ++other) join(other);
      });
    }
  }
  for (Node v = 0; v < n; ++v)
    if (!live[idx(v)]) remove_from_search({&v, 1});
}

void SmallGraphPooling::remove_from_search(std::span<const Node> vertices) {
  for (const Node v : vertices)
    for (Node local = first_local_[idx(v)]; local < first_local_[idx(v) + 1]; ++local) search_.remove(local);
}

}  // namespace cliquepool
