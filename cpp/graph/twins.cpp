#include "graph/twins.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/atomics.hpp"
#include "base/bitset.hpp"
#include "base/charged_buffer.hpp"
#include "base/errors.hpp"
#include "base/hashing.hpp"
#include "base/large_pages.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "base/sorting.hpp"
#include "graph/neighbour_prefetch.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kNodesPerRange = 4096;
constexpr std::size_t kNeighboursWorthThreads = 1 << 17;  // for fewer, starting threads costs more
constexpr std::size_t kNodesAhead = 4;

unsigned threads_for(GraphView graph, unsigned threads) {
  return graph.neighbours.size() < kNeighboursWorthThreads ? 1 : threads;
}

// Returns whether N[u] = N[v], for adjacent u and v of equal degree: the lists agree except for u and v themselves.
bool same_closed_neighbourhood(GraphView graph, Node u, Node v) {
  const auto a = graph[u];
  const auto b = graph[v];
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    if (i < a.size() && a[i] == v) ++i;
    if (j < b.size() && b[j] == u) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (a[i++] != b[j++]) return false;
  }
}

// The nodes of each class, ascending.
struct ClassMembers {
  ChargedBuffer<Node> start;  // num_classes + 1
  ChargedBuffer<Node> nodes;

  ClassMembers(std::span<const Node> classes, std::span<const Node> sizes, Budget& budget)
      : start(budget, sizes.size() + 1), nodes(budget, classes.size()) {
    Pace pace(budget);
    // start[c + 1] is first the start of class c; filling in the nodes of c moves it to the start of c + 1.
    start[0] = 0;
    Node end = 0;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      start[c + 1] = end;
      end += sizes[c];
    }
    for (std::size_t v = 0; v < classes.size(); ++v) {
      nodes[idx(start[idx(classes[v]) + 1]++)] = static_cast<Node>(v);
      pace.step();
    }
  }
  std::span<const Node> operator[](Node c) const {
    return {nodes.data() + start[idx(c)], idx(start[idx(c) + 1] - start[idx(c)])};
  }
};

}  // namespace

void NodeHashes::extend(Node num_nodes, Pace& pace) {
  words_.reserve(idx(num_nodes));
  for (std::size_t v = words_.size(); v < idx(num_nodes); ++v) {
    words_.push_back(mix_bits(v) & mask_);
    pace.step();
  }
}

void TwinFinder::run(GraphView graph, Budget& budget, TwinLevel& level, unsigned threads) {
  find_classes(graph, budget, level, threads);
  if (level.twin_free()) return;
  build_quotient(graph, level.classes.span(), representative_.span(), threads_for(graph, threads), budget,
                 level.quotient);
}

void TwinFinder::find_classes(GraphView graph, Budget& budget, TwinLevel& level, unsigned threads) {
  threads = threads_for(graph, threads);
  level.sizes.clear();
  level.classes.resize(idx(graph.num_nodes()));
  representative_.clear();
  if (graph.num_nodes() <= kWordBits) {
    find_in_words(graph, level);
  } else {
    find_by_hashes(graph, threads, budget, level);
  }
  level.quotient.offsets.clear();
  level.quotient.neighbours.clear();
}

// Puts v into the class of `twin`, an earlier node, or into a new class if `twin` is negative.
void TwinFinder::assign_class(Node v, Node twin, TwinLevel& level) {
  if (twin >= 0) {
    const Node c = level.classes[idx(twin)];
    level.classes[idx(v)] = c;
    ++level.sizes[idx(c)];
  } else {
    level.classes[idx(v)] = static_cast<Node>(level.sizes.size());
    level.sizes.push_back(1);
    representative_.push_back(v);
  }
}

// For at most 64 nodes: each closed neighbourhood is a machine word.
void TwinFinder::find_in_words(GraphView graph, TwinLevel& level) {
  std::array<Word, kWordBits> closed;
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    Word neighbourhood = Word{1} << v;
    for (const Node u : graph[v]) neighbourhood |= Word{1} << u;
    closed[idx(v)] = neighbourhood;
    Node twin = -1;
    for (Word earlier = neighbourhood & ((Word{1} << v) - 1); earlier != 0; earlier &= earlier - 1) {
      const Node u = std::countr_zero(earlier);
      if (closed[idx(u)] != neighbourhood) continue;
      twin = u;
      break;
    }
    assign_class(v, twin, level);
  }
}

void TwinFinder::find_by_hashes(GraphView graph, unsigned threads, Budget& budget, TwinLevel& level) {
  const std::size_t n = idx(graph.num_nodes());
  const ChargeScope scope(budget, closed_hash_);
  hash_neighbourhoods(graph, threads, budget);
  const std::size_t ahead = n < kNodesOfCaches ? n : kNodesAhead;
  // The first twin of each node, or -1: its class is known once the classes of all earlier nodes are.
  share_ranges(threads, n, kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    Pace pace(budget);
    for (std::size_t v = first; v < last; ++v) {
      if (v + ahead < n) prefetch_hashes(graph, static_cast<Node>(v + ahead));
      level.classes[v] = first_twin(graph, static_cast<Node>(v), pace);
    }
  });
  if (threads > 1) return number_classes(threads, budget, level);
  for_each_block(n, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) assign_class(static_cast<Node>(v), level.classes[v], level);
  });
}

// The same on several threads. The first twin of a node is the smallest node of its class: these are counted, then
// numbered, and the others take the numbers of their first twins.
void TwinFinder::number_classes(unsigned threads, Budget& budget, TwinLevel& level) {
  constexpr Node kFirst = -1;
  Node* const classes = level.classes.data();
  const std::size_t n = level.classes.size();
  ChargedBuffer<Node> end(budget, n / kNodesPerRange + 2, 0);  // of the numbers of each range of nodes, from 1
  share_ranges(threads, n, kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    end[first / kNodesPerRange + 1] = static_cast<Node>(std::count(classes + first, classes + last, kFirst));
  });
  std::partial_sum(end.begin(), end.end(), end.begin());
  level.sizes.resize(idx(end.back()));
  representative_.resize(idx(end.back()));
  // Meanwhile a node with a first twin u is marked by -2 - u, which is no number.
  const auto marked = [](Node node) { return -2 - node; };
  share_ranges(threads, n, kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    Node next = end[first / kNodesPerRange];
    for (std::size_t v = first; v < last; ++v) {
      if (classes[v] == kFirst) {
        level.sizes[idx(next)] = 1;
        representative_[idx(next)] = static_cast<Node>(v);
        classes[v] = next++;
      } else {
        classes[v] = marked(classes[v]);
      }
    }
  });
  if (level.twin_free()) return;
  share_ranges(threads, n, kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
      if (classes[v] >= 0) continue;
      classes[v] = classes[marked(classes[v])];
      atomic_add(level.sizes[idx(classes[v])], Node{1});
    }
  });
}

// The hash of a node is computed where it is needed: in a large graph, that takes less time than to load it.
void TwinFinder::hash_neighbourhoods(GraphView graph, unsigned threads, Budget& budget) {
  const auto hash_of = [this](Node v) { return mix_bits(idx(v)) & hash_mask_; };
  closed_hash_.resize(idx(graph.num_nodes()));
  advise_large_pages(closed_hash_);
  share_ranges(threads, closed_hash_.size(), kNodesPerRange, budget,
               [&](unsigned, std::size_t first, std::size_t last) {
                 Pace pace(budget);
                 for (std::size_t i = first; i < last; ++i) {
                   const auto v = static_cast<Node>(i);
                   std::uint64_t hash = hash_of(v);
                   for (const Node u : graph[v]) hash += hash_of(u);
                   closed_hash_[i] = static_cast<std::uint32_t>(hash);
                   pace.step(idx(graph.degree(v)));
                 }
               });
}

void TwinFinder::prefetch_hashes(GraphView graph, Node v) const {
  for (const Node u : graph[v]) {
    if (u > v) break;
    prefetch(closed_hash_.data() + u);
  }
}

// Twins are adjacent: the first twin of v is its first earlier neighbour with the same closed neighbourhood.
Node TwinFinder::first_twin(GraphView graph, Node v, Pace& pace) const {
  const std::uint32_t hash = closed_hash_[idx(v)];
  std::size_t compared = 1;
  for (const Node u : graph[v]) {
    if (u > v) break;
    ++compared;
    if (closed_hash_[idx(u)] != hash || graph.degree(u) != graph.degree(v)) continue;
    pace.step(idx(graph.degree(v)));
    if (same_closed_neighbourhood(graph, u, v)) return u;
  }
  pace.step(compared);
  return -1;
}

Buffer<Node> representatives_of(std::span<const Node> classes, std::size_t num_classes) {
  Buffer<Node> representatives(num_classes);
  std::size_t next = 0;
  for (std::size_t v = 0; v < classes.size() && next < num_classes; ++v)
    if (idx(classes[v]) == next) representatives[next++] = static_cast<Node>(v);
  if (next != num_classes) throw GraphError("expected classes numbered by their smallest nodes");
  return representatives;
}

namespace {

constexpr Node kNone = -1;

// Writes offsets of the lists of the quotient. A list of a representative loses its neighbours that are none: counting
// these takes a visit of the lists of the other nodes alone.
void count_quotient(GraphView graph, std::span<const Node> led, std::span<const Node> representatives, unsigned threads,
                    Budget& budget, std::span<Offset> offsets) {
  share_ranges(threads, representatives.size(), kNodesPerRange, budget,
               [&](unsigned, std::size_t first, std::size_t last) {
                 for (std::size_t c = first; c < last; ++c) offsets[c + 1] = graph.degree(representatives[c]);
               });
  share_ranges(threads, led.size(), kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    Pace pace(budget);
    for (std::size_t v = first; v < last; ++v) {
      if (led[v] != kNone) continue;
      const auto neighbours = graph[static_cast<Node>(v)];
      for (const Node u : neighbours)
        if (led[idx(u)] != kNone) atomic_add(offsets[idx(led[idx(u)]) + 1], Offset{-1});
      pace.step(neighbours.size());
    }
  });
  offsets[0] = 0;
  for_each_block(representatives.size(), budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t c = first; c < last; ++c) offsets[c + 1] += offsets[c];
  });
}

}  // namespace

void build_quotient(GraphView graph, std::span<const Node> classes, std::span<const Node> representatives,
                    unsigned threads, Budget& budget, Graph& quotient) {
  Buffer<Node> led(classes.size());  // class that each node represents, or kNone
  share_ranges(threads, classes.size(), kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v)
      led[v] = representatives[idx(classes[v])] == static_cast<Node>(v) ? classes[v] : kNone;
  });
  const std::size_t num_classes = representatives.size();
  Buffer<Offset>& offsets = quotient.offsets;
  offsets.resize(num_classes + 1);
  offsets[0] = 0;
  // One thread writes one list after the other, and needs no offsets before.
  if (threads > 1) count_quotient(graph, led.span(), representatives, threads, budget, offsets.span());
  quotient.neighbours.resize(threads > 1 ? idx(offsets[num_classes]) : graph.neighbours.size());
  Node* const begin = quotient.neighbours.data();
  share_ranges(threads, num_classes, kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    Pace pace(budget);
    Node* to = begin + offsets[first];
    for (std::size_t c = first; c < last; ++c) {
      // Classes are numbered by their representatives, so that this list is ascending.
      for (const Node u : graph[representatives[c]]) {
        const Node neighbour = led[idx(u)];
        if (neighbour != kNone) *to++ = neighbour;
      }
      if (threads <= 1) offsets[c + 1] = to - begin;
      pace.step(idx(graph.degree(representatives[c])) + 1);
    }
  });
  quotient.neighbours.resize(idx(offsets[num_classes]));
}

std::int64_t count_expanded_edges(std::span<const Node> sizes, GraphView quotient) {
  std::int64_t twice = 0;
  for (Node c = 0; c < quotient.num_nodes(); ++c) {
    std::int64_t neighbours = sizes[idx(c)] - 1;
    for (const Node d : quotient[c]) neighbours += sizes[idx(d)];
    twice += neighbours * sizes[idx(c)];
  }
  return twice / 2;
}

Graph expand(std::span<const Node> classes, std::span<const Node> sizes, GraphView quotient, Budget& budget) {
  const std::int64_t entries = 2 * count_expanded_edges(sizes, quotient);
  ChargedBuffer<Offset> offsets(budget, classes.size() + 1);
  ChargedBuffer<Node> neighbours(budget, idx(entries));
  const ClassMembers members(classes, sizes, budget);
  Pace pace(budget);
  ChargedBuffer<Node> degree(budget, sizes.size());
  for (Node c = 0; c < quotient.num_nodes(); ++c) {
    Node total = sizes[idx(c)] - 1;
    for (const Node d : quotient[c]) total += sizes[idx(d)];
    degree[idx(c)] = total;
  }
  offsets[0] = 0;
  for (std::size_t v = 0; v < classes.size(); ++v) offsets[v + 1] = offsets[v] + degree[idx(classes[v])];
  // Twins share their closed neighbourhood: build it once for each class, then copy it without the node itself.
  ChargedBuffer<Node> closed(budget);
  for (Node c = 0; c < quotient.num_nodes(); ++c) {
    closed.clear();
    closed.append(members[c]);
    for (const Node d : quotient[c]) closed.append(members[d]);
    sort_in_pieces(closed.begin(), closed.end(), pace);
    for (const Node v : members[c]) {
      Node* to = neighbours.data() + offsets[idx(v)];
      for (const Node u : closed.span())
        if (u != v) *to++ = u;
      pace.step(closed.size());
    }
  }
  return {offsets.take(), neighbours.take()};
}

void merge_members(Ragged& lists, std::span<const Node> classes, unsigned threads, Budget& budget) {
  constexpr std::size_t kListsPerRange = std::size_t{1} << 14;
  const std::size_t num_lists = idx(lists.size());
  Offset* const offsets = lists.offsets.data();
  Node* const members = lists.members.data();
  // A range of lists is merged where it is, with offsets from its own start; then all ranges are moved together.
  ChargedBuffer<Offset> start(budget, num_lists / kListsPerRange + 1);
  for (std::size_t i = 0; i < num_lists; i += kListsPerRange) start[i / kListsPerRange] = offsets[i];
  share_ranges(threads, num_lists, kListsPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    Node* const begin = members + start[first / kListsPerRange];
    const Node* from = begin;
    Node* to = begin;
    for (std::size_t i = first; i < last; ++i) {
      // Classes are numbered by their smallest nodes, so that the first node of each brings a higher number.
      Node highest = -1;
      for (const Node* const end = members + offsets[i + 1]; from != end; ++from) {
        const Node c = classes[idx(*from)];
        if (c > highest) *to++ = highest = c;
      }
      offsets[i + 1] = to - begin;
    }
  });
  Offset end = 0;
  for (std::size_t first = 0; first < num_lists; first += kListsPerRange) {
    const std::size_t last = std::min(num_lists, first + kListsPerRange);
    budget.check();
    const Offset size = offsets[last];
    std::copy_n(members + start[first / kListsPerRange], size, members + end);
    for (std::size_t i = first; i < last; ++i) offsets[i + 1] += end;
    end += size;
  }
  lists.members.resize(idx(end));
}

Ragged expand_members(RaggedView lists, std::span<const Node> classes, std::span<const Node> sizes, Budget& budget) {
  std::int64_t total = 0;
  for (const Node c : lists.members) total += sizes[idx(c)];
  ChargedBuffer<Offset> offsets(budget, idx(lists.size()) + 1);
  ChargedBuffer<Node> expanded(budget, idx(total));
  const ClassMembers members(classes, sizes, budget);
  Pace pace(budget);
  offsets[0] = 0;
  Node* const first = expanded.data();
  Node* to = first;
  for (Offset i = 0; i < lists.size(); ++i) {
    Node* const begin = to;
    bool ascending = true;
    for (const Node c : lists[i]) {
      const auto nodes = members[c];
      ascending = ascending && (to == begin || to[-1] < nodes.front());
      for (const Node v : nodes) *to++ = v;
    }
    if (!ascending) sort_in_pieces(begin, to, pace);
    offsets[idx(i) + 1] = to - first;
    pace.step(static_cast<std::size_t>(to - begin));
  }
  Ragged result;
  result.offsets = offsets.take();
  result.members = expanded.take();
  return result;
}

}  // namespace cliquepool
