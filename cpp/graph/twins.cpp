#include "graph/twins.hpp"

#include <algorithm>
#include <array>

#include "base/bitset.hpp"
#include "base/charged_buffer.hpp"
#include "base/hashing.hpp"
#include "base/parallel.hpp"
#include "base/sorting.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kNodesPerRange = 4096;
constexpr std::size_t kNeighboursWorthThreads = 1 << 17;  // for fewer, starting threads costs more

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
  // The first twin of each node, or -1: its class is known once the classes of all earlier nodes are.
  share_ranges(threads, n, kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    Pace pace(budget);
    for (std::size_t v = first; v < last; ++v) level.classes[v] = first_twin(graph, static_cast<Node>(v), pace);
  });
  for_each_block(n, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) assign_class(static_cast<Node>(v), level.classes[v], level);
  });
}

// The hash of a node is computed where it is needed: in a large graph, that takes less time than to load it.
void TwinFinder::hash_neighbourhoods(GraphView graph, unsigned threads, Budget& budget) {
  const auto hash_of = [this](Node v) { return mix_bits(idx(v)) & hash_mask_; };
  closed_hash_.resize(idx(graph.num_nodes()));
  share_ranges(threads, closed_hash_.size(), kNodesPerRange, budget,
               [&](unsigned, std::size_t first, std::size_t last) {
                 Pace pace(budget);
                 for (std::size_t i = first; i < last; ++i) {
                   const auto v = static_cast<Node>(i);
                   std::uint64_t hash = hash_of(v);
                   for (const Node u : graph[v]) hash += hash_of(u);
                   closed_hash_[i] = hash;
                   pace.step(idx(graph.degree(v)));
                 }
               });
}

// Twins are adjacent: the first twin of v is its first earlier neighbour with the same closed neighbourhood.
Node TwinFinder::first_twin(GraphView graph, Node v, Pace& pace) const {
  const std::uint64_t hash = closed_hash_[idx(v)];
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

// A range of classes first writes its lists where those of its first representative are in `graph`; then the lists of
// all ranges are moved together.
void build_quotient(GraphView graph, std::span<const Node> classes, std::span<const Node> representatives,
                    unsigned threads, Budget& budget, Graph& quotient) {
  constexpr Node kNone = -1;
  Buffer<Node> led(classes.size());  // class that each node represents, or kNone
  share_ranges(threads, classes.size(), kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v)
      led[v] = representatives[idx(classes[v])] == static_cast<Node>(v) ? classes[v] : kNone;
  });
  const std::size_t num_classes = representatives.size();
  quotient.offsets.resize(num_classes + 1);
  quotient.neighbours.resize(graph.neighbours.size());
  Node* const begin = quotient.neighbours.data();
  const auto range_start = [&](std::size_t c) { return begin + graph.offsets[idx(representatives[c])]; };
  quotient.offsets[0] = 0;
  share_ranges(threads, num_classes, kNodesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    Pace pace(budget);
    Node* const start = range_start(first);
    Node* to = start;
    for (std::size_t c = first; c < last; ++c) {
      // Classes are numbered by their representatives, so that this list is ascending.
      for (const Node u : graph[representatives[c]]) {
        const Node neighbour = led[idx(u)];
        if (neighbour != kNone) *to++ = neighbour;
      }
      quotient.offsets[c + 1] = to - start;
      pace.step(idx(graph.degree(representatives[c])) + 1);
    }
  });
  Offset end = 0;
  for (std::size_t first = 0; first < num_classes; first += kNodesPerRange) {
    const std::size_t last = std::min(num_classes, first + kNodesPerRange);
    budget.check();
    const Offset size = quotient.offsets[last];
    std::copy_n(range_start(first), size, begin + end);
    for (std::size_t c = first; c < last; ++c) quotient.offsets[c + 1] += end;
    end += size;
  }
  quotient.neighbours.resize(idx(end));
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
