#include "pooling.hpp"

#include <algorithm>
#include <utility>

#include "parallel.hpp"

namespace cliquepool {

namespace {

constexpr Node kCopy = -1;
constexpr Node kMostVerticesAtOnce = kWordBits - 1;
// Vertices tried in a graph of few nodes before bounds are worth their price.
constexpr std::int64_t kLeastTries = 256;
constexpr std::int64_t kTriesPerNeighbour = 8;
constexpr std::int64_t kCliquesBetweenCounts = 256;
constexpr std::size_t kLooksPerChunk = 16;
constexpr std::size_t kWorkWorthThreads = 1 << 18;  // squared neighbourhoods; below, starting threads costs more
constexpr Node kCountDegreesFrom = 1024;  // larger local graphs are thinned before their bitset rows are built

// Most pools have two or three members.
void sort_few(Node* begin, Node* end) {
  if (end - begin > 3) {
    std::sort(begin, end);
    return;
  }
  for (Node* i = begin + 1; i < end; ++i)
    for (Node* j = i; j > begin && *j < *(j - 1); --j) std::swap(*j, *(j - 1));
}

std::int64_t bytes_of(const Ragged& ragged) {
  return static_cast<std::int64_t>(ragged.members.size() * sizeof(Node) + ragged.offsets.size() * sizeof(Offset));
}

}  // namespace

void Pooler::run(GraphView graph, std::span<const Node> weights, const Options& options, Budget& budget,
                 Ragged& pools) {
  pools.clear();
  const unsigned threads = std::max(options.threads, 1U);
  prepare_lookers(graph.num_nodes(), threads);
  num_vertices_ = graph.num_nodes();
  if (options.progress) budget.set_total(num_vertices_);
  budget.check();
  const std::int64_t own_bytes = bytes(graph);
  budget.add_bytes(own_bytes);
  if (num_vertices_ <= kMostVerticesAtOnce) {
    pool_at_once(graph, weights, options, budget, pools);
  } else {
    pool_by_vertex(graph, weights, options, threads, budget, pools);
  }
  budget.release_bytes(own_bytes);
  for (const Looker& looker : lookers_) budget.release_bytes(looker.search_bytes);
  clean_ = true;
}

// Pools a graph of few nodes by trying, heaviest cliques first, and leaves `live_` and an upper bound of what is left.
// Returns how many vertices that is: none, unless the graph turns out too dense.
Node Pooler::pool_in_words(GraphView graph, const Options& options, Budget& budget, Ragged& pools, Node& bound) {
  Word live = words_.all();
  Node left = graph.num_nodes();
  std::int64_t effort = kLeastTries + kTriesPerNeighbour * static_cast<std::int64_t>(graph.neighbours.size());
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
  budget.add_bytes(bytes_of(pools));
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
    const Node assigned = close_round(pools, budget);
    left -= assigned;
    if (options.progress) budget.add_done(assigned);
    if (options.only_first_round) break;
  }
}

void Pooler::pool_by_vertex(GraphView graph, std::span<const Node> weights, const Options& options, unsigned threads,
                            Budget& budget, Ragged& pools) {
  Pace pace(budget);
  orient(graph, weights, pace);
  Node k = 0;
  while (queue_.take_level(k, level_)) {
    hard_.clear();
    for (const Node v : level_.span()) {
      if (!live_[idx(v)]) continue;
      pace.step(idx(later_count_[idx(v)]) + 1);
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
    const Node assigned = close_round(pools, budget);
    if (options.progress) budget.add_done(assigned);
    if (assigned > 0 && options.only_first_round) return;
  }
  pool_rest(graph, options, pace, budget, pools);
}

// The last two rounds. No live clique weighs more than two: what is left are pairs of single nodes, and vertices
// alone. In the order of the graph they come out in canonical order.
void Pooler::pool_rest(GraphView graph, const Options& options, Pace& pace, Budget& budget, Ragged& pools) {
  constexpr unsigned char kLive = 1;
  constexpr unsigned char kPooled = 2;  // in this round: still there for its other pairs
  Offset charged_pools = pools.size();
  std::int64_t charged_bytes = bytes_of(pools);
  Node assigned = 0;
  const auto charge = [&] {
    budget.add_cliques(pools.size() - charged_pools);
    budget.add_bytes(bytes_of(pools) - charged_bytes);
    charged_pools = pools.size();
    charged_bytes = bytes_of(pools);
  };
  const auto assign = [&](Node v) {
    assigned += live_[idx(v)] == kLive;
    live_[idx(v)] = kPooled;
  };
  for (Node v = 0; v < num_vertices_; ++v) {
    if (!live_[idx(v)]) continue;
    pace.step(idx(graph.degree(v)));
    if (weight_[idx(v)] == kHeaviestRest) {
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
      if (live_[idx(v)] != kLive) continue;
      assign(v);
      pools.append({&v, 1});
      pace.step();
      if (pools.size() - charged_pools >= kCliquesBetweenCounts) charge();
    }
  }
  charge();
  if (options.progress) budget.add_done(assigned);
}

void Pooler::prepare_lookers(Node num_vertices, unsigned threads) {
  if (lookers_.size() < threads) lookers_.resize(threads);
  for (Looker& looker : lookers_) {
    looker.search_bytes = 0;
    if (clean_) continue;
    // A run that was cut short may have left marks and cliques behind.
    looker.found.clear();
    looker.found_bytes = 0;
    looker.place.assign(looker.place.size(), 0);
  }
  Buffer<Node>& place = lookers_[0].place;
  if (place.size() < idx(num_vertices)) place.assign(idx(num_vertices), 0);
  clean_ = false;
}

// Later neighbours, a proper colouring, and for each vertex a first bound: one vertex of each colour among its later
// neighbours. From the last vertex down: when a vertex has its turn, its later neighbours are all known.
void Pooler::orient(GraphView graph, std::span<const Node> weights, Pace& pace) {
  const Node n = num_vertices_;
  later_start_.resize(idx(n));
  later_count_.resize(idx(n));
  later_.resize(graph.neighbours.size() / 2);
  Offset end = 0;
  degeneracy_.compute(graph, pace, [&](Node v, std::span<const Node> later) {
    later_start_[idx(v)] = end;
    later_count_[idx(v)] = static_cast<Node>(later.size());
    std::copy(later.begin(), later.end(), later_.data() + end);
    end += static_cast<Offset>(later.size());
  });

  weight_.resize(idx(n));
  for (std::size_t v = 0; v < idx(n); ++v) weight_[v] = weights.empty() ? 1 : weights[v];
  live_.assign(idx(n), 1);
  colour_.resize(idx(n));
  new_bound_.resize(idx(n));
  heaviest_of_colour_.assign(idx(degeneracy_.degeneracy()) + 2, 0);
  Node highest = 0;
  const auto order = degeneracy_.order();
  for (std::size_t r = order.size(); r-- > 0;) {
    const Node v = order[r];
    const Node bound = bound_by_colours(v, &colour_[idx(v)]);
    new_bound_[idx(v)] = bound;
    highest = std::max(highest, bound);
    pace.step(idx(later_count_[idx(v)]) + 1);
  }
  queue_.reset(n, highest);
  for (Node v = 0; v < n; ++v) wait(v, new_bound_[idx(v)]);
}

// The weight of v and of the heaviest later neighbour of each colour; and the least colour none of them has.
Node Pooler::bound_by_colours(Node v, Node* free_colour) {
  Node bound = weight_[idx(v)];
  for (const Node u : later(v)) {
    Node& heaviest = heaviest_of_colour_[idx(colour_[idx(u)])];
    if (weight_[idx(u)] > heaviest) {
      bound += weight_[idx(u)] - heaviest;
      heaviest = weight_[idx(u)];
    }
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

// Highest rank first, so that in a local graph the later neighbours of each vertex stand before it.
void Pooler::sort_later(Node v) {
  const Node* const rank = degeneracy_.rank().data();
  const auto later_first = [rank](Node a, Node b) { return rank[a] > rank[b]; };
  const auto neighbours = later(v);
  if (!std::is_sorted(neighbours.begin(), neighbours.end(), later_first))
    std::sort(neighbours.begin(), neighbours.end(), later_first);
}

// The cases that need no local search: no later neighbour, or three nodes to a clique. Puts v back into the queue when
// there is no clique of weight k at it.
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
    for (const Node u : neighbours) looker.place[idx(u)] = weight_[idx(u)] == 1;
    for (const Node u : neighbours) {
      if (weight_[idx(u)] != 1) continue;
      for (const Node x : later(u))
        if (looker.place[idx(x)]) pool({v, u, x});
    }
    for (const Node u : neighbours) looker.place[idx(u)] = 0;
  }
  return true;
}

void Pooler::mark(Looker& looker) {
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

// Counts cliques just found against the budget, and the memory that they take.
void Pooler::charge_found(Looker& looker, std::int64_t cliques, Budget& budget) {
  budget.add_cliques(cliques);
  const std::int64_t bytes_now = bytes_of(looker.found);
  budget.add_bytes(bytes_now - looker.found_bytes);
  looker.found_bytes = bytes_now;
}

// Searches the local graph for all cliques of weight `target` and keeps them, after `leaders`, by the names of their
// vertices. Returns as LocalSearch::heaviest does.
template <typename Name>
Node Pooler::find_all(Node target, std::span<const Node> leaders, Name&& name, Looker& looker, Pace& pace,
                      Budget& budget) {
  std::int64_t uncounted = 0;
  const auto count = [&] {
    charge_found(looker, uncounted, budget);
    uncounted = 0;
  };
  const Node reached = looker.search.heaviest(target, pace, [&](std::span<const Node> members) {
    looker.found.members.append(leaders);
    Node* const begin = looker.found.members.reserve_more(members.size());
    Node* to = begin;
    for (const Node local : members) {
      *to = name(local);
      to += *to != kCopy;
    }
    looker.found.members.commit(static_cast<std::size_t>(to - begin));
    looker.found.close_list();
    if (++uncounted == kCliquesBetweenCounts) {
      count();
      pace.step(idx(kCliquesBetweenCounts));
    }
  });
  if (uncounted > 0) count();
  return reached;
}

// Finds all cliques of weight exactly k whose member of lowest rank is v, and returns k; or returns a lower bound
// for v. Invariant: no live clique weighs more than k, heavier ones were pooled before.
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
  build_local(looker, pace);

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
    if (looker.place.size() < idx(num_vertices_)) looker.place.assign(idx(num_vertices_), 0);
    Pace pace(budget);
    const std::size_t end = std::min(hard_.size(), (chunk + 1) * kLooksPerChunk);
    for (std::size_t i = chunk * kLooksPerChunk; i < end; ++i) new_bound_[i] = look(hard_[i], k, looker, pace, budget);
  });
  for (std::size_t i = 0; i < hard_.size(); ++i)
    if (new_bound_[i] < k) wait(hard_[i], new_bound_[i]);
}

// Takes the round's cliques as pools, in canonical order, and removes their vertices. Returns how many there were.
Node Pooler::close_round(Ragged& pools, Budget& budget) {
  Node removed = 0;
  bool pairs = true;
  for (Looker& looker : lookers_) {
    for (const Node member : looker.found.members.span()) {
      removed += live_[idx(member)];
      live_[idx(member)] = 0;
    }
    pairs = pairs && looker.found.members.size() <= 2 * idx(looker.found.size());
  }
  if (removed == 0) return 0;
  const std::int64_t before = bytes_of(pools);
  if (!pairs || !append_pairs(pools)) append_cliques(pools);
  budget.add_bytes(bytes_of(pools) - before);
  for (Looker& looker : lookers_) {
    budget.release_bytes(looker.found_bytes);
    looker.found_bytes = 0;
    looker.found.clear();
  }
  return removed;
}

// The quick way for rounds of nothing but pools of one or two vertices, of which there may be very many: such a pool is
// a number. Returns false, with nothing done, if there are others.
bool Pooler::append_pairs(Ragged& pools) {
  pair_keys_.clear();
  for (const Looker& looker : lookers_) {
    for (Offset i = 0; i < looker.found.size(); ++i) {
      const auto pool = looker.found[i];
      if (pool.size() > 2) return false;
      const auto [first, second] = std::minmax(pool.front(), pool.back());
      pair_keys_.push_back(static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(second));
    }
  }
  std::sort(pair_keys_.begin(), pair_keys_.end());
  for (const std::uint64_t key : pair_keys_.span()) {
    const Node first = static_cast<Node>(key >> 32);
    const Node second = static_cast<Node>(key & 0xFFFFFFFF);
    pools.members.push_back(first);
    if (second != first) pools.members.push_back(second);
    pools.close_list();
  }
  return true;
}

void Pooler::append_cliques(Ragged& pools) {
  keys_.clear();
  for (Looker& looker : lookers_) {
    for (Offset i = 0; i < looker.found.size(); ++i) {
      Node* const begin = looker.found.members.data() + looker.found.offsets[idx(i)];
      Node* const end = looker.found.members.data() + looker.found.offsets[idx(i) + 1];
      sort_few(begin, end);
      const auto second = end - begin > 1 ? static_cast<std::uint64_t>(begin[1]) : 0;
      keys_.push_back({static_cast<std::uint64_t>(*begin) << 32 | second, begin, static_cast<Node>(end - begin)});
    }
  }
  std::sort(keys_.begin(), keys_.end(), [](const PoolKey& a, const PoolKey& b) {
    if (a.first_two != b.first_two) return a.first_two < b.first_two;
    return std::lexicographical_compare(a.members, a.members + a.size, b.members, b.members + b.size);
  });
  for (const PoolKey& pool : keys_.span()) pools.append({pool.members, idx(pool.size)});
}

}  // namespace cliquepool
