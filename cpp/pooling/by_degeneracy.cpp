// Looks at single vertices: what cliques each leads in the degeneracy order.
#include "pooling/pooler.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "base/parallel.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kLooksPerChunk = 16;
constexpr std::size_t kWorkWorthThreads = 1 << 18;  // squared neighbourhoods; below, starting threads costs more
constexpr std::size_t kMostToCount = kWordBits;
constexpr int kOneLiveIn = 4;             // later neighbours: with fewer, rows are made again, smaller
constexpr Node kCountDegreesFrom = 1024;  // larger local graphs are thinned before their bitset rows are built

}  // namespace

// Puts the vertices in a degeneracy order, and from then on calls each by its rank there: what is looked at most stands
// close together. Finds the later neighbours of each.
void Pooler::orient(GraphView graph, std::span<const Node> weights, Pace& pace) {
  const Node n = num_vertices_;
  later_start_.resize(idx(n));
  later_count_.resize(idx(n));
  later_.resize(graph.neighbours.size() / 2);
  Node rank = 0;
  Offset end = 0;
  degeneracy_.compute(graph, pace, [&](Node, std::span<const Node> later) {
    later_start_[idx(rank)] = end;
    later_count_[idx(rank)] = static_cast<Node>(later.size());
    std::copy(later.begin(), later.end(), later_.data() + end);  // not yet their ranks, which are still to come
    end += static_cast<Offset>(later.size());
    ++rank;
  });
  const auto order = degeneracy_.order();
  std::swap(live_, live_unranked_);
  live_.resize(idx(n));
  for (std::size_t r = 0; r < idx(n); ++r) {
    live_[r] = live_unranked_[idx(order[r])];
    weight_[r] = weights.empty() ? 1 : weights[idx(order[r])];
  }
}

// Calls vertices by their own names again.
void Pooler::unrank_live() {
  const auto order = degeneracy_.order();
  for (std::size_t r = 0; r < order.size(); ++r) live_unranked_[idx(order[r])] = live_[r];
  std::swap(live_, live_unranked_);
}

// A proper colouring, and for each vertex a first bound: one vertex of each colour among its later neighbours. From the
// last vertex down: when a vertex has its turn, its later neighbours are all known.
void Pooler::colour(Pace& pace) {
  const Node n = num_vertices_;
  colour_.resize(idx(n));
  rows_.resize(later_.size());
  has_rows_.assign(idx(n), 0);
  new_bound_.resize(idx(n));
  heaviest_of_colour_.assign(idx(degeneracy_.degeneracy()) + 2, 0);
  const Rank* const rank = degeneracy_.rank().data();
  Node highest = 0;
  for (Node v = n; v-- > 0;) {
    for (Node& u : later(v)) u = static_cast<Node>(rank[u]);
    const Node bound = bound_by_colours(v, &colour_[idx(v)]);
    new_bound_[idx(v)] = bound;
    highest = std::max(highest, bound);
    pace.step(idx(later_count_[idx(v)]) + 1);
  }
  queue_.reset(n, highest);
  for (Node v = 0; v < n; ++v)
    if (live_[idx(v)]) wait(v, new_bound_[idx(v)]);
}

// The weight of v and of the heaviest later neighbour of each colour; and the least colour none of them has.
Node Pooler::bound_by_colours(Node v, Node* free_colour) {
  Node bound = weight_[idx(v)];
  for (const Node u : later(v)) {
    Node& heaviest = heaviest_of_colour_[idx(colour_[idx(u)])];
    const Node more = std::max(weight_[idx(u)] - heaviest, 0);  // no branch: colours repeat at random
    bound += more;
    heaviest += more;
  }
  if (free_colour != nullptr) {
    *free_colour = 0;
    while (heaviest_of_colour_[idx(*free_colour)] != 0) ++*free_colour;
  }
  for (const Node u : later(v)) heaviest_of_colour_[idx(colour_[idx(u)])] = 0;
  return bound;
}

void Pooler::keep_live_later(Node v) {
  Node* const begin = later_.data() + later_start_[idx(v)];
  Node* keep = begin;
  for (const Node u : later(v)) {
    *keep = u;
    keep += live_[idx(u)];
  }
  later_count_[idx(v)] = static_cast<Node>(keep - begin);
}

// Of a vertex with rows: a bit for each later neighbour that is live.
Word Pooler::live_in_rows(Node v) {
  Word live = 0;
  int local = 0;
  for (const Node u : later(v)) live |= Word{live_[idx(u)]} << ++local;
  return live;
}

// Highest rank first, so that in a local graph the later neighbours of each vertex stand before it.
void Pooler::sort_later(Node v) {
  const auto neighbours = later(v);
  const std::size_t size = neighbours.size();
  if (size > kMostToCount) {
    std::sort(neighbours.begin(), neighbours.end(), std::greater<>());
    return;
  }
  // Few: the place of each is the number of higher ones, counted without branches.
  std::array<Node, kMostToCount> ranks;
  const std::size_t padded = (size + 7) / 8 * 8;
  std::copy(neighbours.begin(), neighbours.end(), ranks.begin());
  for (std::size_t i = size; i < padded; ++i) ranks[i] = -1;
  for (std::size_t i = 0; i < size; ++i) {
    Node higher = 0;
    for (std::size_t j = 0; j < padded; ++j) higher += ranks[j] > ranks[i];
    neighbours[idx(higher)] = ranks[i];
  }
}

// The cases that need no local search: no later neighbour, or three nodes to a clique. Who leads no clique of three is
// left to the last rounds.
bool Pooler::settle_small(Node v, Node k, Looker& looker) {
  const auto neighbours = later(v);
  const Node own = weight_[idx(v)];
  const auto pool = [&](std::initializer_list<Node> members) {
    looker.found.append({members.begin(), members.size()});
  };
  if (neighbours.empty()) {
    assert(own == k);  // it was its own bound
    pool({v});
    return true;
  }
  if (k > kHeaviestRest + 1) return false;

  for (const Node u : neighbours)
    if (own + weight_[idx(u)] == k) pool({v, u});
  if (own == 1 && neighbours.size() > 1) {
    for (const Node u : neighbours) looker.near[idx(u)] = weight_[idx(u)] == 1;
    for (const Node u : neighbours) {
      if (weight_[idx(u)] != 1) continue;
      for (const Node x : later(u))
        if (looker.near[idx(x)]) pool({v, u, x});
    }
    for (const Node u : neighbours) looker.near[idx(u)] = 0;
  }
  return true;
}

void Pooler::mark(Looker& looker) {
  if (looker.place.size() < idx(num_vertices_)) looker.place.assign(idx(num_vertices_), 0);
  Node local = 0;
  for (const Node u : looker.local.span()) looker.place[idx(u)] = ++local;
}

void Pooler::unmark(Looker& looker) {
  for (const Node u : looker.local.span()) looker.place[idx(u)] = 0;
}

// Drops local vertices whose neighbourhood is too light for a clique of weight `need`. Returns a bound on cliques of
// the local graph that hold a dropped vertex.
Node Pooler::drop_poor(Node need, Looker& looker) {
  Node richest_dropped = 0;
  for (;;) {
    const auto size = looker.local.size();
    mark(looker);
    looker.degree.resize(size);
    for (std::size_t i = 0; i < size; ++i) looker.degree[i] = weight_[idx(looker.local[i])];
    for (std::size_t i = 0; i < size; ++i) {
      const Node u = looker.local[i];
      Node sum = 0;
      for (const Node x : later(u)) {
        const Node place = looker.place[idx(x)];
        if (place == 0) continue;
        sum += weight_[idx(x)];
        looker.degree[idx(place) - 1] += weight_[idx(u)];
      }
      looker.degree[i] += sum;
    }
    unmark(looker);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
      if (looker.degree[i] >= need) {
        looker.local[kept++] = looker.local[i];
      } else {
        richest_dropped = std::max(richest_dropped, looker.degree[i]);
      }
    }
    looker.local.resize(kept);
    // Another pass over the lists pays only while it thins the graph well.
    if (kept > size - size / 4 || kept < static_cast<std::size_t>(kCountDegreesFrom)) return richest_dropped;
  }
}

void Pooler::build_local(Looker& looker, Pace& pace) {
  const Node size = static_cast<Node>(looker.local.size());
  looker.search.reset(size);
  mark(looker);
  const Node* const place = looker.place.data();
  for (Node i = 0; i < size; ++i) {
    const Node u = looker.local[idx(i)];
    pace.step(later(u).size() / 8);
    // Highest rank first: the later neighbours of u stand before it.
    looker.search.add(i + 1, weight_[idx(u)], [&](auto&& join) {
      for (const Node x : later(u)) join(place[x]);
    });
  }
  unmark(looker);
}

// The same for the later neighbours of v, where a row is a word, and keeps the rows for looks to come.
void Pooler::build_small(Node v, Looker& looker, Pace& pace) {
  const auto neighbours = later(v);
  unsigned char* const near = looker.near.data();
  for (std::size_t i = 0; i < neighbours.size(); ++i) near[neighbours[i]] = static_cast<unsigned char>(i + 1);
  Word* const row = rows(v).data();
  std::size_t steps = 0;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    Word joined = 0;
    for (const Node x : later(neighbours[i])) joined |= Word{1} << near[x];
    row[i] = joined & ~Word{1};
    for (Word bits = row[i]; bits != 0; bits &= bits - 1) row[std::countr_zero(bits) - 1] |= Word{2} << i;
    steps += later(neighbours[i]).size();
  }
  for (const Node u : neighbours) near[u] = 0;
  pace.step(steps / 8);
  has_rows_[idx(v)] = 1;
}

// Finds all cliques of weight exactly k whose member of lowest rank is v, and returns k. Otherwise
// returns a reduced upper bound for v. Invariant: no live clique weighs more than k, heavier ones were pooled before.
Node Pooler::look(Node v, Node k, Looker& looker, Pace& pace, Budget& budget) {
  const Node own = weight_[idx(v)];
  const auto neighbours = later(v);
  looker.local.resize(neighbours.size());
  std::copy(neighbours.begin(), neighbours.end(), looker.local.begin());

  Node dropped = 0;
  if (static_cast<Node>(looker.local.size()) >= kCountDegreesFrom) dropped = drop_poor(k - own, looker);
  pace.step(neighbours.size());
  if (looker.local.empty()) return own + dropped;

  const std::int64_t bytes = LocalSearch::bytes(static_cast<Node>(looker.local.size()));
  if (bytes > looker.search_bytes) {
    budget.add_bytes(bytes - looker.search_bytes);
    looker.search_bytes = bytes;
  }
  if (neighbours.size() < kWordBits) {
    if (!has_rows_[idx(v)]) build_small(v, looker, pace);
    looker.search.restore(rows(v), live_in_rows(v),
                          [&](Node local) { return weight_[idx(neighbours[idx(local) - 1])]; });
  } else {
    build_local(looker, pace);
  }

  const Node leader[] = {v};
  const auto vertex = [&](Node local) { return looker.local[idx(local) - 1]; };
  const Node reached = find_all(k - own, leader, vertex, looker, pace, budget);
  if (own + reached == k) return k;
  const Node bound = std::max(looker.search.tighten(reached, pace), dropped);
  return std::min(own + bound, k - 1);
}

void Pooler::look_at_all(Node k, unsigned threads, Budget& budget) {
  std::size_t work = 0;
  for (const Node v : hard_.span()) work += later(v).size() * later(v).size();
  if (work < kWorkWorthThreads) threads = 1;
  const std::size_t chunks = (hard_.size() + kLooksPerChunk - 1) / kLooksPerChunk;
  share_out(threads, chunks, budget, [&](unsigned thread, std::size_t chunk) {
    Looker& looker = lookers_[thread];
    if (looker.near.size() < idx(num_vertices_)) looker.near.assign(idx(num_vertices_), 0);
    Pace pace(budget);
    const std::size_t end = std::min(hard_.size(), (chunk + 1) * kLooksPerChunk);
    for (std::size_t i = chunk * kLooksPerChunk; i < end; ++i) new_bound_[i] = look(hard_[i], k, looker, pace, budget);
  });
  for (std::size_t i = 0; i < hard_.size(); ++i)
    if (new_bound_[i] < k) wait(hard_[i], new_bound_[i]);
}

// Pools the live vertices down to the last two rounds.
void Pooler::pool_by_vertex(GraphView graph, std::span<const Node> weights, const Options& options, unsigned threads,
                            Pace& pace, Budget& budget, Ragged& pools) {
  orient(graph, weights, pace);
  colour(pace);
  if (lookers_[0].near.size() < idx(num_vertices_)) lookers_[0].near.assign(idx(num_vertices_), 0);
  Node k = 0;
  while (queue_.take_level(k, level_)) {
    hard_.clear();
    for (const Node v : level_.span()) {
      if (!live_[idx(v)]) continue;
      pace.step(idx(later_count_[idx(v)]) + 1);
      if (has_rows_[idx(v)]) {
        const Word live = live_in_rows(v);
        if (k > kHeaviestRest + 1 && kOneLiveIn * std::popcount(live) > later_count_[idx(v)]) {
          hard_.push_back(v);
          continue;
        }
        has_rows_[idx(v)] = 0;
      }
      keep_live_later(v);
      const Node bound = bound_by_colours(v);
      if (bound < k) {
        wait(v, bound);
        continue;
      }
      const Offset before = lookers_[0].found.size();
      if (!settle_small(v, k, lookers_[0])) {
        sort_later(v);
        hard_.push_back(v);
      }
      if (lookers_[0].found.size() > before) charge_found(lookers_[0], lookers_[0].found.size() - before, budget);
    }
    look_at_all(k, threads, budget);
    const Node assigned = close_round(pools, budget, {.names = degeneracy_.order()});
    if (options.progress) budget.add_done(assigned);
    if (assigned > 0 && options.only_first_round) break;
  }
  unrank_live();
}

}  // namespace cliquepool
