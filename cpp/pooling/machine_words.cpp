// Pooling in machine words: of graphs that fit into one a vertex, and of neighbourhoods that do.
#include "pooling/pooler.hpp"

#include <algorithm>

namespace cliquepool {

namespace {

// Vertices tried in a graph that fits into words before bounds are worth their price.
constexpr std::int64_t kLeastTries = 256;
constexpr std::int64_t kTriesPerNeighbour = 8;

std::int64_t worthwhile_tries(GraphView graph) {
  return kLeastTries + kTriesPerNeighbour * static_cast<std::int64_t>(graph.neighbours.size());
}

}  // namespace

// Pools a graph of few nodes by trying, heaviest cliques first, and leaves `live_` and an upper bound of what is left.
// Returns how many vertices that is: none, unless the graph turns out too dense.
Node Pooler::pool_in_words(GraphView graph, const Options& options, Budget& budget, Ragged& pools, Node& bound) {
  Word live = words_.all();
  Node left = graph.num_nodes();
  std::int64_t effort = worthwhile_tries(graph);
  bound = words_.bound();
  for (; left > 0; --bound) {
    const Word core = words_.peel(live, bound);
    if (core == 0) continue;
    const Offset pools_before = pools.size();
    const std::size_t members_before = pools.members.size();
    if (!words_.list_cliques(core, bound, pools, effort)) {
      pools.offsets.resize(idx(pools_before) + 1);
      pools.members.resize(members_before);
      break;
    }
    for (const Node v : pools.members.span().subspan(members_before)) {
      left -= live_[idx(v)];
      live_[idx(v)] = 0;
      live &= ~words_.twins(v);
    }
    if (options.only_first_round && !pools.members.empty()) break;
  }
  budget.add_cliques(pools.size());
  budget.add_bytes(pools.bytes());
  if (options.progress) budget.add_done(graph.num_nodes() - left);
  return left;
}

// A graph that fits into one machine word a vertex is its own local graph: no order, no queue, one search a round.
void Pooler::pool_at_once(GraphView graph, std::span<const Node> weights, const Options& options, Budget& budget,
                          Ragged& pools) {
  live_.assign(idx(num_vertices_), 1);
  Node left = num_vertices_;
  Node target = kMaxNodes;
  if (words_.fill(graph, weights)) left = pool_in_words(graph, options, budget, pools, target);
  if (left == 0 || (options.only_first_round && pools.size() > 0)) return;

  Looker& looker = lookers_[0];
  // Where there is room, a vertex stands as often as it weighs: searches by plain counting are quicker.
  std::int64_t total = 0;
  for (const Node weight : weights) total += weight;
  const bool as_twins = total <= kMostVerticesAtOnce;
  const auto copies = [&](Node v) { return as_twins && !weights.empty() ? weights[idx(v)] : 1; };
  looker.local.clear();  // the vertex of each local one, or kCopy
  looker.first_local.resize(idx(num_vertices_));
  for (Node v = 0; v < num_vertices_; ++v) {
    looker.first_local[idx(v)] = static_cast<Node>(looker.local.size()) + 1;
    looker.local.push_back(v);
    for (Node copy = 1; copy < copies(v); ++copy) looker.local.push_back(kCopy);
  }
  looker.search.reset(static_cast<Node>(looker.local.size()));
  for (Node v = 0; v < num_vertices_; ++v) {
    const Node first = looker.first_local[idx(v)];
    for (Node copy = 0; copy < copies(v); ++copy) {
      const Node weight = as_twins || weights.empty() ? 1 : weights[idx(v)];
      looker.search.add(first + copy, weight, [&](auto&& join) {
        for (const Node u : graph[v]) {
          if (u > v) break;
          for (Node other = 0; other < copies(u); ++other) join(looker.first_local[idx(u)] + other);
        }
        for (Node other = 0; other < copy; ++other) join(first + other);
      });
    }
  }
  for (Node v = 0; v < num_vertices_; ++v) {
    if (live_[idx(v)]) continue;
    for (Node copy = 0; copy < copies(v); ++copy) looker.search.remove(looker.first_local[idx(v)] + copy);
  }
  Pace pace(budget);
  target = std::min(target, looker.search.bound_by_colours());
  for (; left > 0; --target) {
    const auto vertex = [&](Node local) { return looker.local[idx(local) - 1]; };
    while (looker.found.members.empty()) target = find_all(target, {}, vertex, looker, pace, budget);
    for (const Node v : looker.found.members.span())
      for (Node copy = 0; copy < copies(v); ++copy) looker.search.remove(looker.first_local[idx(v)] + copy);
    const Node assigned = close_round(pools, budget, {});
    left -= assigned;
    if (options.progress) budget.add_done(assigned);
    if (options.only_first_round) break;
  }
}

// A larger graph whose neighbourhoods fit into words, each on its own. Pools all cliques that weigh more than the rest
// may. False, and live vertices are left, if some neighbourhood does not fit or the graph turns out too dense.
bool Pooler::pool_in_neighbourhoods(GraphView graph, std::span<const Node> weights, const Options& options, Pace& pace,
                                    Budget& budget, Ragged& pools) {
  const std::int64_t bytes = WordNeighbourhoods::bytes(graph);
  budget.add_bytes(bytes);
  if (!neighbourhoods_.fill(graph, weights, pace)) {
    budget.release_bytes(bytes);
    return false;
  }
  Looker& looker = lookers_[0];
  std::int64_t effort = worthwhile_tries(graph);
  Node k = bound_leaders(effort, pace);
  while (k > 0 && effort >= 0) {
    const Node next = list_led(k, effort, pace);
    if (effort < 0) {
      looker.found.clear();  // of a round half done
      break;
    }
    charge_found(looker, looker.found.size(), budget);
    const Node assigned = close_round(pools, budget, {.in_order = neighbourhoods_.in_order()});
    if (options.progress) budget.add_done(assigned);
    k = assigned > 0 && options.only_first_round ? 0 : next;
  }
  budget.release_bytes(bytes);
  return effort >= 0;
}

// The weight of the heaviest clique that v leads among these later neighbours; no less than that of the heaviest rest.
Node Pooler::heaviest_led(Node v, Word among, std::int64_t& effort) {
  const Node own = weight_[idx(v)];
  return own + neighbourhoods_.heaviest(v, among, std::max(kHeaviestRest - own, 0), effort);
}

// Lets the vertices that lead heavier cliques than the rest wait in `level_`, ascending. Returns the highest bound.
Node Pooler::bound_leaders(std::int64_t& effort, Pace& pace) {
  bound_.resize(idx(num_vertices_));
  level_.clear();
  Node highest = 0;
  for (Node v = 0; v < num_vertices_ && effort >= 0; ++v) {
    const std::int64_t before = effort;
    bound_[idx(v)] = heaviest_led(v, neighbourhoods_.all_later(v), effort);
    pace.step(idx(before - effort) + 1);
    if (bound_[idx(v)] <= kHeaviestRest) continue;
    level_.push_back(v);
    highest = std::max(highest, bound_[idx(v)]);
  }
  return highest;
}

// Finds all cliques of weight k, the highest bound. Those who lead none wait on at a lower bound; returns the highest.
Node Pooler::list_led(Node k, std::int64_t& effort, Pace& pace) {
  Ragged& found = lookers_[0].found;
  Node highest = 0;
  Node* waiting = level_.begin();
  for (const Node v : level_.span()) {
    pace.step();
    if (!live_[idx(v)]) continue;
    Node& bound = bound_[idx(v)];
    if (bound == k) {
      const std::int64_t before = effort;
      const Offset cliques = found.size();
      const Word among = neighbourhoods_.live_later(v, live_.data());
      neighbourhoods_.list_cliques(v, among, k - weight_[idx(v)], found, effort);
      if (found.size() > cliques) {
        pace.step(idx(before - effort));
        continue;
      }
      bound = heaviest_led(v, among, effort);
      pace.step(idx(before - effort));
      assert(bound < k || effort < 0);
      if (bound <= kHeaviestRest) continue;
    }
    highest = std::max(highest, bound);
    *waiting++ = v;
  }
  level_.resize(static_cast<std::size_t>(waiting - level_.begin()));
  return highest;
}

}  // namespace cliquepool
