#include "hierarchy/coarsening.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/bitset.hpp"
#include "base/sorting.hpp"

namespace cliquepool {

void Coarsener::run(GraphView graph, RaggedView pools, Budget& budget, TwinLevel& coarse) {
  if (graph.num_nodes() <= kWordBits && run_in_words(graph, pools, coarse)) return;
  const Offset num_pools = pools.size();
  const std::int64_t own_bytes = num_pools * 48 + static_cast<std::int64_t>(pools.members.size()) * 8;
  budget.add_bytes(own_bytes + num_pools * 4);
  Pace pace(budget);
  sort_into_trie(graph, pools, pace);
  hash_neighbourhoods(graph, pools, pace);
  group_twins(graph, pools, pace, coarse);
  join_classes(graph, budget, pace, coarse);
  budget.release_bytes(own_bytes);
}

// At most 64 vertices and 64 classes of pools: every set is a machine word. False, with nothing kept, if there are
// more.
bool Coarsener::run_in_words(GraphView graph, RaggedView pools, TwinLevel& coarse) {
  std::array<Word, kWordBits> closed{};    // N[v]
  std::array<Word, kWordBits> touching{};  // of each vertex, the classes whose first pool holds it
  std::array<Word, kWordBits> reach{};     // of each class, N[P]
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    closed[idx(v)] = Word{1} << v;
    for (const Node u : graph[v]) closed[idx(v)] |= Word{1} << u;
  }
  coarse.classes.clear();
  coarse.sizes.clear();
  for (Offset p = 0; p < pools.size(); ++p) {
    Word neighbourhood = 0;
    for (const Node v : pools[p]) neighbourhood |= closed[idx(v)];
    const auto known = reach.begin() + static_cast<std::ptrdiff_t>(coarse.sizes.size());
    const auto twin = std::find(reach.begin(), known, neighbourhood);
    const auto c = static_cast<std::size_t>(twin - reach.begin());
    if (c == reach.size()) return false;
    coarse.classes.push_back(static_cast<Node>(c));
    if (twin != known) {
      ++coarse.sizes[c];
      continue;
    }
    *twin = neighbourhood;
    coarse.sizes.push_back(1);
    for (const Node v : pools[p]) touching[idx(v)] |= Word{1} << c;
  }
  Graph& quotient = coarse.quotient;
  quotient.offsets.clear();
  quotient.neighbours.clear();
  quotient.offsets.push_back(0);
  const Width<1> width(1);
  for (std::size_t c = 0; c < coarse.sizes.size(); ++c) {
    Word joined = 0;
    width.for_each(&reach[c], [&](Node v) { joined |= touching[idx(v)]; });
    joined &= ~(Word{1} << c);
    width.for_each(&joined, [&](Node d) { quotient.neighbours.push_back(d); });
    quotient.offsets.push_back(static_cast<Offset>(quotient.neighbours.size()));
  }
  return true;
}

void Coarsener::sort_into_trie(GraphView graph, RaggedView pools, Pace& pace) {
  const Node n = graph.num_nodes();
  Node largest = 0;
  for (Node v = 0; v < n; ++v) largest = std::max(largest, graph.degree(v));
  count_.assign(idx(largest) + 2, 0);
  for (Node v = 0; v < n; ++v) ++count_[idx(largest - graph.degree(v)) + 1];
  for (std::size_t d = 1; d < count_.size(); ++d) count_[d] += count_[d - 1];
  by_degree_.resize(idx(n));
  vertex_at_.resize(idx(n));
  for (Node v = 0; v < n; ++v) {
    const Node place = count_[idx(largest - graph.degree(v))]++;
    by_degree_[idx(v)] = place;
    vertex_at_[idx(place)] = v;
    pace.step();
  }

  const Offset num_pools = pools.size();
  paths_.resize(pools.members.size());
  path_start_.clear();
  path_start_.append(pools.offsets);
  trie_order_.resize(idx(num_pools));
  for (Offset p = 0; p < num_pools; ++p) {
    Node* const begin = paths_.data() + path_start_[idx(p)];
    Node* end = begin;
    for (const Node v : pools[p]) *end++ = by_degree_[idx(v)];
    std::sort(begin, end);
    trie_order_[idx(p)] = static_cast<Node>(p);
    pace.step(pools[p].size());
  }
  const auto path_of = [&](Node p) {
    return std::span<const Node>(paths_.data() + path_start_[idx(p)],
                                 idx(path_start_[idx(p) + 1] - path_start_[idx(p)]));
  };
  sort_in_pieces(trie_order_.begin(), trie_order_.end(), pace, [&](Node a, Node b) {
    const auto left = path_of(a);
    const auto right = path_of(b);
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
  });
}

// Goes through the pools at `places` of the trie in order. `add(place by degree)` extends the current prefix by one
// member, `drop()` takes the last one off again, `visit(place of pool)` is called when a pool's path is complete.
template <typename Add, typename Drop, typename Visit>
void Coarsener::walk(std::span<const Node> places, Add&& add, Drop&& drop, Visit&& visit) {
  std::span<const Node> current;
  for (const Node place : places) {
    const auto next = path(place);
    const std::size_t most = std::min(current.size(), next.size());
    std::size_t shared = 0;
    while (shared < most && current[shared] == next[shared]) ++shared;
    for (std::size_t i = current.size(); i > shared; --i) drop();
    for (std::size_t i = shared; i < next.size(); ++i) add(next[i]);
    visit(place);
    current = next;
  }
  for (std::size_t i = current.size(); i > 0; --i) drop();
}

void Coarsener::hash_neighbourhoods(GraphView graph, RaggedView pools, Pace& pace) {
  const Node n = graph.num_nodes();
  hashes_.cover(n, pace);
  covered_.assign(idx(n), 0);
  cover_.clear();
  pool_hash_.resize(idx(pools.size()));
  pool_reach_.resize(idx(pools.size()));
  Buffer<std::size_t> cover_before;
  Buffer<std::uint64_t> hash_before;
  std::uint64_t hash = 0;
  const auto cover = [&](Node v) {
    if (covered_[idx(v)]) return;
    covered_[idx(v)] = 1;
    cover_.push_back(v);
    hash += hashes_[v];
  };
  // Here the places are all of the trie.
  Buffer<Node> places(trie_order_.size());
  std::iota(places.begin(), places.end(), 0);
  walk(
      places.span(),
      [&](Node place) {
        const Node v = vertex_at_[idx(place)];
        cover_before.push_back(cover_.size());
        hash_before.push_back(hash);
        cover(v);
        for (const Node u : graph[v]) cover(u);
        pace.step(idx(graph.degree(v)));
      },
      [&] {
        for (std::size_t i = cover_before.back(); i < cover_.size(); ++i) covered_[idx(cover_[i])] = 0;
        cover_.resize(cover_before.back());
        hash = hash_before.back();
        cover_before.pop_back();
        hash_before.pop_back();
      },
      [&](Node place) {
        const Node pool = trie_order_[idx(place)];
        pool_hash_[idx(pool)] = hash;
        pool_reach_[idx(pool)] = static_cast<Offset>(cover_.size());
        pace.step();
      });
}

// Groups pools whose neighbourhoods have equal hash and size, makes sure that each group is right, and numbers the
// groups by their first pool.
void Coarsener::group_twins(GraphView graph, RaggedView pools, Pace& pace, TwinLevel& coarse) {
  const Node num_pools = static_cast<Node>(pools.size());
  by_hash_.resize(idx(num_pools));
  group_of_.resize(idx(num_pools));
  std::iota(by_hash_.begin(), by_hash_.end(), 0);
  const auto same = [&](Node a, Node b) {
    return pool_hash_[idx(a)] == pool_hash_[idx(b)] && pool_reach_[idx(a)] == pool_reach_[idx(b)];
  };
  sort_in_pieces(by_hash_.begin(), by_hash_.end(), pace, [&](Node a, Node b) {
    if (pool_hash_[idx(a)] != pool_hash_[idx(b)]) return pool_hash_[idx(a)] < pool_hash_[idx(b)];
    if (pool_reach_[idx(a)] != pool_reach_[idx(b)]) return pool_reach_[idx(a)] < pool_reach_[idx(b)];
    return a < b;
  });
  for (std::size_t begin = 0; begin < by_hash_.size();) {
    std::size_t end = begin + 1;
    while (end < by_hash_.size() && same(by_hash_[begin], by_hash_[end])) ++end;
    const auto group = by_hash_.span().subspan(begin, end - begin);
    if (group.size() == 1 || all_within(graph, pools, group, pace)) {
      for (const Node pool : group) group_of_[idx(pool)] = group.front();
    } else {
      split_group(graph, pools, group, pace);
    }
    pace.step(group.size());
    begin = end;
  }

  coarse.classes.resize(idx(num_pools));
  coarse.sizes.clear();
  for (Node pool = 0; pool < num_pools; ++pool) {
    const Node first = group_of_[idx(pool)];
    if (first == pool) {
      coarse.classes[idx(pool)] = static_cast<Node>(coarse.sizes.size());
      coarse.sizes.push_back(1);
    } else {
      const Node c = coarse.classes[idx(first)];
      coarse.classes[idx(pool)] = c;
      ++coarse.sizes[idx(c)];
    }
    pace.step();
  }
  representatives_.clear();
  for (std::size_t place = 0; place < trie_order_.size(); ++place) {
    const Node pool = trie_order_[place];
    if (group_of_[idx(pool)] == pool) representatives_.push_back(static_cast<Node>(place));
    pace.step();
  }
}

// Neighbourhoods of equal size are equal when each lies within the first: when every member's does.
bool Coarsener::all_within(GraphView graph, RaggedView pools, std::span<const Node> group, Pace& pace) {
  constexpr unsigned char kInFirst = 1;
  constexpr unsigned char kMemberSeen = 2;
  const auto mark_first = [&](auto&& mark) {
    for (const Node v : pools[group.front()]) {
      mark(v);
      for (const Node u : graph[v]) mark(u);
      pace.step(idx(graph.degree(v)));
    }
  };
  mark_first([&](Node v) { covered_[idx(v)] = kInFirst; });
  for (const Node v : pools[group.front()]) covered_[idx(v)] |= kMemberSeen;
  bool within = true;
  for (std::size_t i = 1; i < group.size() && within; ++i) {
    for (const Node v : pools[group[i]]) {
      if (!(covered_[idx(v)] & kInFirst)) {
        within = false;
        break;
      }
      if (covered_[idx(v)] & kMemberSeen) continue;
      covered_[idx(v)] |= kMemberSeen;
      pace.step(idx(graph.degree(v)));
      for (const Node u : graph[v]) within = within && (covered_[idx(u)] & kInFirst);
    }
  }
  mark_first([&](Node v) { covered_[idx(v)] = 0; });
  return within;
}

// Hashes met for different sets (as good as never): sort the group out by the sets themselves.
void Coarsener::split_group(GraphView graph, RaggedView pools, std::span<Node> group, Pace& pace) {
  Buffer<Node> rest;
  while (!group.empty()) {
    const Node first = group.front();
    group_of_[idx(first)] = first;
    rest.clear();
    for (const Node pool : group.subspan(1)) {
      const Node pair[] = {first, pool};
      if (all_within(graph, pools, pair, pace)) {
        group_of_[idx(pool)] = first;
      } else {
        rest.push_back(pool);
      }
    }
    std::copy(rest.begin(), rest.end(), group.begin());
    group = group.first(rest.size());
  }
}

// Edges between classes, by one pool of each: all pools of a class meet the same neighbourhoods.
void Coarsener::join_classes(GraphView graph, Budget& budget, Pace& pace, TwinLevel& coarse) {
  const Node n = graph.num_nodes();
  const std::size_t num_classes = coarse.sizes.size();
  const auto class_at = [&](Node place) { return coarse.classes[idx(trie_order_[idx(place)])]; };
  list_touching(n, class_at, pace);

  reached_.assign(num_classes, 0);
  reach_.clear();
  cover_.clear();
  row_start_.resize(num_classes);
  row_size_.resize(num_classes);
  rows_.clear();
  struct Extent {
    std::size_t covered;
    std::size_t reached;
  };
  Buffer<Extent> before;  // what each shorter prefix covers and reaches
  const auto cover = [&](Node v) {
    if (covered_[idx(v)]) return;
    covered_[idx(v)] = 1;
    cover_.push_back(v);
    const Offset end = touching_start_[idx(v) + 1];
    for (Offset i = touching_start_[idx(v)]; i < end; ++i) {
      const Node c = touching_[idx(i)];
      if (reached_[idx(c)]) continue;
      reached_[idx(c)] = 1;
      reach_.push_back(c);
    }
    pace.step(idx(end - touching_start_[idx(v)]));
  };
  walk(
      representatives_.span(),
      [&](Node place) {
        const Node v = vertex_at_[idx(place)];
        before.push_back({cover_.size(), reach_.size()});
        cover(v);
        for (const Node u : graph[v]) cover(u);
        pace.step(idx(graph.degree(v)));
      },
      [&] {
        const auto [covered, reached] = before.back();
        before.pop_back();
        for (std::size_t i = covered; i < cover_.size(); ++i) covered_[idx(cover_[i])] = 0;
        for (std::size_t i = reached; i < reach_.size(); ++i) reached_[idx(reach_[i])] = 0;
        cover_.resize(covered);
        reach_.resize(reached);
      },
      [&](Node place) {
        const Node c = class_at(place);
        row_start_[idx(c)] = static_cast<Offset>(rows_.size());
        row_size_[idx(c)] = static_cast<Node>(reach_.size()) - 1;
        budget.add_bytes(static_cast<std::int64_t>(reach_.size()) * 8);  // here, and sorted below
        for (const Node d : reach_.span())
          if (d != c) rows_.push_back(d);
        pace.step(reach_.size());
      });

  // The matrix is symmetric: written row by row into its columns, every row comes out ascending.
  Graph& quotient = coarse.quotient;
  quotient.offsets.resize(num_classes + 1);
  quotient.neighbours.resize(rows_.size());
  quotient.offsets[0] = 0;
  next_.resize(num_classes);
  for (std::size_t c = 0; c < num_classes; ++c) {
    next_[c] = quotient.offsets[c];
    quotient.offsets[c + 1] = quotient.offsets[c] + row_size_[c];
  }
  for (std::size_t c = 0; c < num_classes; ++c) {
    for (Node i = 0; i < row_size_[c]; ++i)
      quotient.neighbours[idx(next_[idx(rows_[idx(row_start_[c] + i)])]++)] = static_cast<Node>(c);
    pace.step(idx(row_size_[c]));
  }
  budget.release_bytes(static_cast<std::int64_t>(rows_.size()) * 4);
}

// For every vertex, the classes whose representative holds it.
template <typename ClassAt>
void Coarsener::list_touching(Node num_vertices, ClassAt&& class_at, Pace& pace) {
  touching_start_.assign(idx(num_vertices) + 1, 0);
  for (const Node place : representatives_.span()) {
    for (const Node v : path(place)) ++touching_start_[idx(vertex_at_[idx(v)]) + 1];
    pace.step(path(place).size());
  }
  for (std::size_t v = 0; v < idx(num_vertices); ++v) touching_start_[v + 1] += touching_start_[v];
  touching_.resize(idx(touching_start_.back()));
  next_.clear();
  next_.append(touching_start_.span());
  for (const Node place : representatives_.span()) {
    for (const Node v : path(place)) touching_[idx(next_[idx(vertex_at_[idx(v)])]++)] = class_at(place);
    pace.step(path(place).size());
  }
}

}  // namespace cliquepool
