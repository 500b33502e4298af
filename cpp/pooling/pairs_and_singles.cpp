#include "pooling/pairs_and_singles.hpp"

#include "base/charged_buffer.hpp"
#include "base/parallel.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kVerticesPerRange = 1024;
constexpr Node kVerticesWorthThreads = 1 << 15;  // for fewer, starting threads costs more

// Calls append(v, pools, pace) for each live vertex, which adds the pools that have v as their first member. Visiting
// vertices by ascending id gives pools in canonical order. A vertex that is pooled stays live until the end of the
// round, as it may be in further pairs.
template <typename Append>
void pool_round(PoolingRun& run, Append&& append) {
  const Node n = run.graph().num_nodes();
  const auto live = run.live();
  const unsigned threads = n < kVerticesWorthThreads ? 1 : run.threads();
  ChargedBuffer<PoolingRun::FoundRange> ranges(run.budget(), (idx(n) + kVerticesPerRange - 1) / kVerticesPerRange);
  share_ranges(threads, idx(n), kVerticesPerRange, run.budget(),
               [&](unsigned thread, std::size_t first, std::size_t last) {
                 Pace pace(run.budget());
                 FoundCliques& found = run.found(thread);
                 const Offset before = found.lists.size();
                 for (std::size_t v = first; v < last; ++v) {
                   if (!live[v]) continue;
                   append(static_cast<Node>(v), found.lists, pace);
                   found.charge_some(run.budget());
                 }
                 pace.step(last - first);
                 ranges[first / kVerticesPerRange] = {thread, before, found.lists.size()};
               });
  for (unsigned thread = 0; thread < threads; ++thread) run.found(thread).charge(run.budget());
  run.close_round(ranges.span());
}

void append_pool(Ragged& pools, std::initializer_list<Node> members) {
  pools.append({members.begin(), members.size()});
}

}  // namespace

void pool_pairs_and_singles(PoolingRun& run) {
  const WeightedGraph& graph = run.graph();
  const auto live = run.live();
  pool_round(run, [&](Node v, Ragged& pools, Pace& pace) {
    pace.step(idx(graph.graph.degree(v)));
    if (graph.weight(v) == kPairWeight) return append_pool(pools, {v});
    for (const Node u : graph.graph[v])
      if (u > v && live[idx(u)]) append_pool(pools, {v, u});
  });
  if (run.wants_more()) pool_round(run, [](Node v, Ragged& pools, Pace&) { append_pool(pools, {v}); });
}

}  // namespace cliquepool
