#include "pooling/pooler.hpp"

#include <algorithm>
#include <utility>

#include "base/sorting.hpp"

namespace cliquepool {

namespace {

// Most pools have two or three members.
void sort_few(Node* begin, Node* end) {
  if (end - begin > 3) {
    std::sort(begin, end);
    return;
  }
  for (Node* i = begin + 1; i < end; ++i)
    for (Node* j = i; j > begin && *j < *(j - 1); --j) std::swap(*j, *(j - 1));
}

}  // namespace

void Pooler::run(GraphView graph, std::span<const Node> weights, const Options& options, Budget& budget,
                 Ragged& pools) {
  pools.clear();
  const unsigned threads = std::max(options.threads, 1U);
  prepare_lookers(threads);
  num_vertices_ = graph.num_nodes();
  if (options.progress) budget.set_total(num_vertices_);
  // Reading the clock costs more than pooling a small graph: check at every 16th.
  if (num_vertices_ > kMostVerticesAtOnce || small_runs_++ % kSmallRunsBetweenChecks == 0) budget.check();
  const std::int64_t own_bytes = bytes(graph);
  budget.add_bytes(own_bytes);
  if (num_vertices_ <= kMostVerticesAtOnce) {
    pool_at_once(graph, weights, options, budget, pools);
  } else {
    pool_larger(graph, weights, options, threads, budget, pools);
  }
  budget.release_bytes(own_bytes);
  for (const Looker& looker : lookers_) budget.release_bytes(looker.search_bytes);
  clean_ = true;
}

void Pooler::pool_larger(GraphView graph, std::span<const Node> weights, const Options& options, unsigned threads,
                         Budget& budget, Ragged& pools) {
  live_.assign(idx(num_vertices_), 1);
  weight_.resize(idx(num_vertices_));
  for (std::size_t v = 0; v < idx(num_vertices_); ++v) weight_[v] = weights.empty() ? 1 : weights[v];
  Pace pace(budget);
  if (!pool_in_neighbourhoods(graph, weights, options, pace, budget, pools))
    pool_by_vertex(graph, weights, options, threads, pace, budget, pools);
  if (!options.only_first_round || pools.size() == 0) pool_rest(graph, weights, options, pace, budget, pools);
}

// The last two rounds. No live clique weighs more than two: what is left are pairs of single nodes, and vertices
// alone. In the order of the graph they come out in canonical order.
void Pooler::pool_rest(GraphView graph, std::span<const Node> weights, const Options& options, Pace& pace,
                       Budget& budget, Ragged& pools) {
  constexpr unsigned char kLive = 1;
  constexpr unsigned char kPooled = 2;  // in this round: still there for its other pairs
  Offset charged_pools = pools.size();
  std::int64_t charged_bytes = pools.bytes();
  Node assigned = 0;
  const auto charge = [&] {
    budget.add_cliques(pools.size() - charged_pools);
    budget.add_bytes(pools.bytes() - charged_bytes);
    charged_pools = pools.size();
    charged_bytes = pools.bytes();
  };
  const auto assign = [&](Node v) {
    assigned += live_[idx(v)] == kLive;
    live_[idx(v)] = kPooled;
  };
  for (Node v = 0; v < num_vertices_; ++v) {
    pace.step();
    if (!live_[idx(v)]) continue;
    pace.step(idx(graph.degree(v)));
    if (!weights.empty() && weights[idx(v)] == kHeaviestRest) {
      assign(v);
      pools.append({&v, 1});
      continue;
    }
    for (const Node u : graph[v]) {
      if (u < v || !live_[idx(u)]) continue;
      assign(v);
      assign(u);
      const Node pair[] = {v, u};
      pools.append(pair);
    }
    if (pools.size() - charged_pools >= kCliquesBetweenCounts) charge();
  }
  if (assigned == 0 || !options.only_first_round) {
    for (Node v = 0; v < num_vertices_; ++v) {
      pace.step();
      if (live_[idx(v)] != kLive) continue;
      assign(v);
      pools.append({&v, 1});
      if (pools.size() - charged_pools >= kCliquesBetweenCounts) charge();
    }
  }
  charge();
  if (options.progress) budget.add_done(assigned);
}

void Pooler::prepare_lookers(unsigned threads) {
  if (lookers_.size() < threads) lookers_.resize(threads);
  for (Looker& looker : lookers_) {
    looker.search_bytes = 0;
    if (clean_) continue;
    // A run that was cut short may have left marks and cliques behind.
    looker.found.clear();
    looker.found_bytes = 0;
    looker.near.assign(looker.near.size(), 0);
    looker.place.assign(looker.place.size(), 0);
  }
  clean_ = false;
}

// Counts cliques just found against the budget, and the memory that they take.
void Pooler::charge_found(Looker& looker, std::int64_t cliques, Budget& budget) {
  budget.add_cliques(cliques);
  const std::int64_t bytes_now = looker.found.bytes();
  budget.add_bytes(bytes_now - looker.found_bytes);
  looker.found_bytes = bytes_now;
}

// Takes the round's cliques as pools in canonical order, and removes their vertices. Returns how many there were.
Node Pooler::close_round(Ragged& pools, Budget& budget, const Round& round) {
  Node removed = 0;
  bool pairs = true;
  Pace pace(budget);
  for (Looker& looker : lookers_) {
    for (Node& member : looker.found.members.span()) {
      removed += live_[idx(member)];
      live_[idx(member)] = 0;
      if (!round.names.empty()) member = round.names[idx(member)];
      pace.step();
    }
    pairs = pairs && looker.found.members.size() <= 2 * idx(looker.found.size());
  }
  if (removed == 0) return 0;
  const std::int64_t before = pools.bytes();
  if (round.in_order) {
    assert(lookers_[0].found.members.size() > 0);
    pools.append_all(lookers_[0].found.view());
  } else if (!pairs || !append_pairs(pools, pace)) {
    append_cliques(pools, pace);
  }
  budget.add_bytes(pools.bytes() - before);
  for (Looker& looker : lookers_) {
    budget.release_bytes(looker.found_bytes);
    looker.found_bytes = 0;
    looker.found.clear();
  }
  return removed;
}

// The quick way for rounds of nothing but pools of one or two vertices, of which there may be very many: such a pool is
// a number. Returns false, with nothing done, if there are others.
bool Pooler::append_pairs(Ragged& pools, Pace& pace) {
  pair_keys_.clear();
  for (const Looker& looker : lookers_) {
    for (Offset i = 0; i < looker.found.size(); ++i) {
      const auto pool = looker.found[i];
      if (pool.size() > 2) return false;
      const auto [first, second] = std::minmax(pool.front(), pool.back());
      pair_keys_.push_back(static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(second));
      pace.step();
    }
  }
  sort_in_pieces(pair_keys_.begin(), pair_keys_.end(), pace);
  for (const std::uint64_t key : pair_keys_.span()) {
    const Node first = static_cast<Node>(key >> 32);
    const Node second = static_cast<Node>(key & 0xFFFFFFFF);
    pools.members.push_back(first);
    if (second != first) pools.members.push_back(second);
    pools.close_list();
    pace.step();
  }
  return true;
}

void Pooler::append_cliques(Ragged& pools, Pace& pace) {
  keys_.clear();
  for (Looker& looker : lookers_) {
    for (Offset i = 0; i < looker.found.size(); ++i) {
      Node* const begin = looker.found.members.data() + looker.found.offsets[idx(i)];
      Node* const end = looker.found.members.data() + looker.found.offsets[idx(i) + 1];
      sort_few(begin, end);
      const auto second = end - begin > 1 ? static_cast<std::uint64_t>(begin[1]) : 0;
      keys_.push_back({static_cast<std::uint64_t>(*begin) << 32 | second, begin, static_cast<Node>(end - begin)});
      pace.step(static_cast<std::size_t>(end - begin));
    }
  }
  sort_in_pieces(keys_.begin(), keys_.end(), pace, [](const PoolKey& a, const PoolKey& b) {
    if (a.first_two != b.first_two) return a.first_two < b.first_two;
    return std::lexicographical_compare(a.members, a.members + a.size, b.members, b.members + b.size);
  });
  for (const PoolKey& pool : keys_.span()) {
    pools.append({pool.members, idx(pool.size)});
    pace.step(idx(pool.size));
  }
}

}  // namespace cliquepool
