#include "graph/twins.hpp"

#include <algorithm>
#include <array>

#include "base/bitset.hpp"
#include "base/charged_buffer.hpp"
#include "base/hashing.hpp"
#include "base/sorting.hpp"

namespace cliquepool {

namespace {

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

void TwinFinder::run(GraphView graph, Budget& budget, TwinLevel& level) {
  find_classes(graph, budget, level);
  if (!level.twin_free()) build_quotient(graph, level.classes.span(), representative_.span(), budget, level.quotient);
}

void TwinFinder::find_classes(GraphView graph, Budget& budget, TwinLevel& level) {
  level.sizes.clear();
  level.classes.resize(idx(graph.num_nodes()));
  representative_.clear();
  if (graph.num_nodes() <= kWordBits) {
    find_in_words(graph, level);
  } else {
    find_by_hashes(graph, budget, level);
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

void TwinFinder::find_by_hashes(GraphView graph, Budget& budget, TwinLevel& level) {
  const Node n = graph.num_nodes();
  Pace pace(budget);
  hashes_.extend(n, pace);
  const ChargeScope scope(budget, closed_hash_);
  closed_hash_.resize(idx(n));
  for (Node v = 0; v < n; ++v) {
    std::uint64_t hash = hashes_[v];
    for (const Node u : graph[v]) hash += hashes_[u];
    closed_hash_[idx(v)] = hash;
    pace.step(idx(graph.degree(v)));
  }

  // Twins are adjacent: the first twin of v is its first earlier neighbour with the same closed neighbourhood.
  for (Node v = 0; v < n; ++v) {
    Node twin = -1;
    std::size_t compared = 1;
    for (const Node u : graph[v]) {
      if (u > v) break;
      ++compared;
      if (closed_hash_[idx(u)] != closed_hash_[idx(v)] || graph.degree(u) != graph.degree(v)) continue;
      pace.step(idx(graph.degree(v)));
      if (same_closed_neighbourhood(graph, u, v)) {
        twin = u;
        break;
      }
    }
    assign_class(v, twin, level);
    pace.step(compared);
  }
}

void build_quotient(GraphView graph, std::span<const Node> classes, std::span<const Node> representatives,
                    Budget& budget, Graph& quotient) {
  constexpr Node kNone = -1;
  Pace pace(budget);
  Buffer<Node> led(classes.size());  // class that each node represents, or kNone
  for (std::size_t v = 0; v < classes.size(); ++v)
    led[v] = representatives[idx(classes[v])] == static_cast<Node>(v) ? classes[v] : kNone;
  quotient.offsets.resize(representatives.size() + 1);
  quotient.neighbours.resize(graph.neighbours.size());
  Node* const begin = quotient.neighbours.data();
  Node* to = begin;
  quotient.offsets[0] = 0;
  for (std::size_t c = 0; c < representatives.size(); ++c) {
    // Classes are numbered by their representatives, so that this list is ascending.
    for (const Node u : graph[representatives[c]]) {
      *to = led[idx(u)];
      to += *to != kNone;
    }
    quotient.offsets[c + 1] = to - begin;
    pace.step(idx(graph.degree(representatives[c])) + 1);
  }
  quotient.neighbours.resize(static_cast<std::size_t>(to - begin));
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
