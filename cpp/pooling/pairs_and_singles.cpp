#include "pooling/pairs_and_singles.hpp"

namespace cliquepool {

namespace {

constexpr Offset kPoolsPerCharge = 256;

// Visiting vertices by ascending id gives pools in canonical order. A vertex that is pooled stays live until the end of
// the round, as it may be in further pairs.
class LastRounds {
 public:
  explicit LastRounds(PoolingRun& run) : run_(run), num_vertices_(run.graph().num_nodes()) {}

  void pool_pairs() {
    const WeightedGraph& graph = run_.graph();
    const auto live = run_.live();
    const std::size_t before = run_.pools().members.size();
    for (Node v = 0; v < num_vertices_; ++v) {
      run_.pace().step();
      if (!live[idx(v)]) continue;
      run_.pace().step(idx(graph.graph.degree(v)));
      if (graph.weight(v) == kPairWeight) {
        append({v});
        continue;
      }
      for (const Node u : graph.graph[v])
        if (u > v && live[idx(u)]) append({v, u});
    }
    close_round(before);
  }

  void pool_singles() {
    const auto live = run_.live();
    const std::size_t before = run_.pools().members.size();
    for (Node v = 0; v < num_vertices_; ++v) {
      run_.pace().step();
      if (live[idx(v)]) append({v});
    }
    close_round(before);
  }

 private:
  void append(std::initializer_list<Node> members) {
    run_.pools().append({members.begin(), members.size()});
    if (++uncharged_ < kPoolsPerCharge) return;
    run_.charge_pools();
    uncharged_ = 0;
  }
  void close_round(std::size_t first_member) {
    run_.charge_pools();
    run_.remove(run_.pools().members.span().subspan(first_member));
  }

  PoolingRun& run_;
  Node num_vertices_;
  Offset uncharged_ = 0;
};

}  // namespace

void pool_pairs_and_singles(PoolingRun& run) {
  LastRounds rounds(run);
  rounds.pool_pairs();
  if (run.wants_more()) rounds.pool_singles();
}

}  // namespace cliquepool
