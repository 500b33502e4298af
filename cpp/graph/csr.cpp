#include "graph/csr.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/errors.hpp"
#include "base/sorting.hpp"

namespace cliquepool {
namespace {

// Bytes that are given back to the budget when their owner leaves the scope.
class Borrowed {
 public:
  Borrowed(Budget& budget, std::size_t bytes) : budget_(budget), bytes_(static_cast<std::int64_t>(bytes)) {
    budget_.add_bytes(bytes_);
  }
  ~Borrowed() { budget_.release_bytes(bytes_); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

 private:
  Budget& budget_;
  std::int64_t bytes_;
};

template <typename T>
void add_bytes_for(Budget& budget, std::size_t count) {
  budget.add_bytes(static_cast<std::int64_t>(count * sizeof(T)));
}

// Runs work(first, last) over all of 0..count-1, and lets the budget have its say in between.
template <typename Work>
void for_each_block(std::size_t count, Budget& budget, Work&& work) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  for (std::size_t first = 0; first < count; first += kBlock) {
    budget.check();
    work(first, std::min(count, first + kBlock));
  }
}

[[noreturn]] void fail_on_edge(std::size_t edge, std::int64_t u, std::int64_t v, Node num_nodes) {
  throw GraphError(
      "edge " + std::to_string(edge) + ": expected " +
      (num_nodes == 0 ? "no edge in a graph of 0 nodes" : "node ids from 0 to " + std::to_string(num_nodes - 1)) +
      ", got (" + std::to_string(u) + ", " + std::to_string(v) + ")");
}

// How the lists of neighbours are ordered.
enum class Order { none, ascending, strictly_ascending };

// Counts the places where the flat array does not rise, and takes away those between two lists, where it need not:
// one long loop instead of one short loop for each node.
Order order_of_neighbours(const Graph& graph, Budget& budget) {
  const GraphView view = graph.view();
  const std::span<const Offset> offsets = view.offsets;  // clang before 16 captures no structured binding
  const std::span<const Node> neighbours = view.neighbours;
  std::size_t falls = 0;
  std::size_t stays = 0;
  for_each_block(neighbours.size(), budget, [&](std::size_t first, std::size_t last) {
    std::size_t falls_here = 0;  // of the block alone: these stay in registers
    std::size_t stays_here = 0;
    for (std::size_t i = std::max<std::size_t>(first, 1); i < last; ++i) {
      falls_here += neighbours[i] < neighbours[i - 1];
      stays_here += neighbours[i] == neighbours[i - 1];
    }
    falls += falls_here;
    stays += stays_here;
  });
  for_each_block(offsets.size() - 1, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t v = std::max<std::size_t>(first, 1); v < last; ++v) {
      const std::size_t start = idx(offsets[v]);
      if (start == idx(offsets[v - 1]) || start == neighbours.size()) continue;  // counted before, or the end
      falls -= neighbours[start] < neighbours[start - 1];
      stays -= neighbours[start] == neighbours[start - 1];
    }
  });
  return falls > 0 ? Order::none : stays > 0 ? Order::ascending : Order::strictly_ascending;
}

// Writes each node into the lists of its neighbours, nodes ascending: as both directions are there, these are
// the same lists, now in order.
void sort_neighbours(Graph& graph, Budget& budget) {
  const GraphView view = graph.view();
  const std::size_t num_nodes = idx(view.num_nodes());
  const Borrowed bytes(budget, num_nodes * sizeof(Offset) + view.neighbours.size_bytes());
  Buffer<Offset> ends(num_nodes);
  std::copy_n(view.offsets.data(), num_nodes, ends.data());
  Buffer<Node> sorted(view.neighbours.size());
  Pace pace(budget);
  for (Node v = 0; v < view.num_nodes(); ++v) {
    for (const Node w : view[v]) sorted[idx(ends[idx(w)]++)] = v;
    pace.step(idx(view.degree(v)) + 1);
  }
  graph.neighbours = std::move(sorted);
}

// Keeps one of equal neighbours, which lie side by side.
void merge_parallel_edges(Graph& graph, Budget& budget) {
  Node* const neighbours = graph.neighbours.data();
  Offset* const offsets = graph.offsets.data();
  const std::size_t num_nodes = graph.offsets.size() - 1;
  Offset kept = 0;
  Offset start = 0;
  Pace pace(budget);
  for (std::size_t v = 0; v < num_nodes; ++v) {
    const Offset end = offsets[v + 1];
    Node last = -1;
    for (Offset i = start; i < end; ++i) {
      const Node neighbour = neighbours[i];
      neighbours[kept] = neighbour;
      kept += neighbour != last;
      last = neighbour;
    }
    pace.step(idx(end - start) + 1);
    start = end;
    offsets[v + 1] = kept;
  }
  graph.neighbours.resize(idx(kept));
  graph.neighbours.shrink_to_fit();
}

// Spreads consecutive ids over a hash table (the finalizer of MurmurHash3's 64-bit variant).
std::uint64_t scramble(std::uint64_t id) {
  id = (id ^ (id >> 33)) * 0xff51afd7ed558ccdULL;
  id = (id ^ (id >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return id ^ (id >> 33);
}

// The distinct ids in an open hash table, each with a rank to be filled in once all are known.
class DistinctIds {
 public:
  explicit DistinctIds(Budget& budget) : budget_(budget), pace_(budget) { grow(1024); }
  ~DistinctIds() { budget_.release_bytes(static_cast<std::int64_t>(slots_.size() * sizeof(Slot))); }
  DistinctIds(const DistinctIds&) = delete;
  DistinctIds& operator=(const DistinctIds&) = delete;

  void insert(std::int64_t id) {
    Slot& slot = find(id);
    if (slot.used) return;
    slot = {id, 0, true};
    if (++count_ * 2 > slots_.size()) grow(slots_.size() * 2);
  }

  Node rank(std::int64_t id) { return find(id).rank; }

  Buffer<std::int64_t> rank_all() {
    Buffer<std::int64_t> ascending;
    ascending.reserve(count_);
    for (const Slot& slot : slots_) {
      if (slot.used) ascending.push_back(slot.id);
      pace_.step();
    }
    sort_in_pieces(ascending.begin(), ascending.end(), pace_);
    for (std::size_t rank = 0; rank < ascending.size(); ++rank) {
      find(ascending[rank]).rank = static_cast<Node>(rank);
      pace_.step();
    }
    return ascending;
  }

  std::size_t count() const { return count_; }

 private:
  struct Slot {
    std::int64_t id;
    Node rank;
    bool used;
  };

  Slot& find(std::int64_t id) {
    std::size_t place = scramble(static_cast<std::uint64_t>(id)) & mask_;
    while (slots_[place].used && slots_[place].id != id) place = (place + 1) & mask_;
    return slots_[place];
  }

  void grow(std::size_t size) {
    add_bytes_for<Slot>(budget_, size);
    Buffer<Slot> old(size, Slot{0, 0, false});
    std::swap(old, slots_);
    mask_ = size - 1;
    for (const Slot& slot : old) {
      if (slot.used) find(slot.id) = slot;
      pace_.step();
    }
    budget_.release_bytes(static_cast<std::int64_t>(old.size() * sizeof(Slot)));
  }

  Budget& budget_;
  Pace pace_;
  Buffer<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
};

[[noreturn]] void fail_on_count(std::size_t count) {
  throw GraphError("expected at most " + std::to_string(kMaxNodes) + " distinct node ids, got " +
                   std::to_string(count));
}

// Ids that lie in [lowest, lowest + width), ranked by an array over that range.
template <NodeId Id>
CompactIds compact_close_ids(std::span<Id> ids, std::int64_t lowest, std::size_t width, Budget& budget) {
  const Borrowed bytes(budget, width);
  Buffer<std::uint8_t> occurs(width, std::uint8_t{0});
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (const Id id : ids.subspan(first, last - first)) occurs[idx(id - lowest)] = 1;
  });
  std::size_t count = 0;
  for_each_block(width, budget, [&](std::size_t first, std::size_t last) {
    count += idx(std::count(occurs.begin() + first, occurs.begin() + last, std::uint8_t{1}));
  });
  if (count > idx(kMaxNodes)) fail_on_count(count);
  if (lowest == 0 && count == width) return {static_cast<Node>(count), std::nullopt};

  const Borrowed more_bytes(budget, width * sizeof(Node));
  add_bytes_for<std::int64_t>(budget, count);
  Buffer<Node> rank(width);
  Buffer<std::int64_t> distinct(count);
  std::size_t ranked = 0;
  for_each_block(width, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      rank[i] = static_cast<Node>(ranked);
      if (occurs[i] != 0) distinct[ranked++] = lowest + static_cast<std::int64_t>(i);
    }
  });
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (Id& id : ids.subspan(first, last - first)) id = rank[idx(id - lowest)];
  });
  return {static_cast<Node>(count), std::move(distinct)};
}

template <NodeId Id>
CompactIds compact_far_ids(std::span<Id> ids, Budget& budget) {
  DistinctIds distinct(budget);
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (const Id id : ids.subspan(first, last - first)) distinct.insert(id);
  });
  if (distinct.count() > idx(kMaxNodes)) fail_on_count(distinct.count());
  add_bytes_for<std::int64_t>(budget, distinct.count());
  Buffer<std::int64_t> ascending = distinct.rank_all();
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (Id& id : ids.subspan(first, last - first)) id = distinct.rank(id);
  });
  return {static_cast<Node>(ascending.size()), std::move(ascending)};
}

}  // namespace

template <NodeId Id>
Graph build_graph(Endpoints<Id> sources, Endpoints<Id> targets, std::size_t num_edges, Node num_nodes, Budget& budget) {
  const auto is_node = [num_nodes](std::int64_t id) { return id >= 0 && id < num_nodes; };
  const std::size_t n = idx(num_nodes);
  Graph graph;

  // One place more than offsets, so that writing the neighbours of v moves ends[v] to where offsets[v + 1] is.
  add_bytes_for<Offset>(budget, n + 2);
  graph.offsets.assign(n + 2, 0);
  Offset* const ends = graph.offsets.data() + 1;
  for_each_block(num_edges, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t edge = first; edge < last; ++edge) {
      const Id u = sources[edge];
      const Id v = targets[edge];
      if (!is_node(u) || !is_node(v)) fail_on_edge(edge, u, v, num_nodes);
      const Offset counts = u != v;
      ends[u + 1] += counts;
      ends[v + 1] += counts;
    }
  });
  for_each_block(n, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) ends[v + 1] += ends[v];
  });

  const auto total = idx(ends[n]);
  add_bytes_for<Node>(budget, total);
  graph.neighbours.resize(total);
  Node* const neighbours = graph.neighbours.data();
  for_each_block(num_edges, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t edge = first; edge < last; ++edge) {
      const auto u = static_cast<Node>(sources[edge]);
      const auto v = static_cast<Node>(targets[edge]);
      if (u == v) continue;
      neighbours[ends[u]++] = v;
      neighbours[ends[v]++] = u;
    }
  });
  graph.offsets.resize(n + 1);

  // Edges that come in order, as most files have them, leave the lists in order.
  Order order = order_of_neighbours(graph, budget);
  if (order == Order::none) {
    sort_neighbours(graph, budget);
    order = order_of_neighbours(graph, budget);
  }
  if (order != Order::strictly_ascending) merge_parallel_edges(graph, budget);
  budget.release_bytes(static_cast<std::int64_t>((total - graph.neighbours.size()) * sizeof(Node)));
  return graph;
}

template Graph build_graph(Endpoints<std::int32_t>, Endpoints<std::int32_t>, std::size_t, Node, Budget&);
template Graph build_graph(Endpoints<std::int64_t>, Endpoints<std::int64_t>, std::size_t, Node, Budget&);

template <NodeId Id>
CompactIds compact_ids(std::span<Id> ids, Budget& budget) {
  if (ids.empty()) return {};
  Id lowest = ids.front();
  Id highest = lowest;
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (const Id id : ids.subspan(first, last - first)) {
      lowest = std::min(lowest, id);
      highest = std::max(highest, id);
    }
  });
  // Unsigned, for the distance between any two 64-bit ids fits there.
  const std::uint64_t distance = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest);
  constexpr std::uint64_t kRangePerId = 8;
  constexpr std::uint64_t kSmallRange = 1 << 16;
  if (distance / kRangePerId >= ids.size() && distance >= kSmallRange) return compact_far_ids(ids, budget);
  return compact_close_ids(ids, lowest, static_cast<std::size_t>(distance) + 1, budget);
}

template CompactIds compact_ids(std::span<std::int32_t>, Budget&);
template CompactIds compact_ids(std::span<std::int64_t>, Budget&);

void validate_csr(const GraphView& graph, Budget& budget) {
  const auto& [offsets, neighbours] = graph;
  const auto text = [](auto value) { return std::to_string(value); };
  if (offsets.empty()) throw GraphError("expected num_nodes + 1 offsets, got none");
  if (offsets.size() - 1 > idx(kMaxNodes)) {
    throw GraphError("expected at most " + text(kMaxNodes) + " nodes, got " + text(offsets.size() - 1));
  }
  if (offsets.front() != 0) throw GraphError("expected the first offset to be 0, got " + text(offsets.front()));
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1]) {
      throw GraphError("expected offsets that never fall, got " + text(offsets[i - 1]) + " and then " +
                       text(offsets[i]) + " at position " + text(i));
    }
  }
  if (static_cast<std::uint64_t>(offsets.back()) != neighbours.size()) {
    throw GraphError("expected the last offset to be the number of neighbours, " + text(neighbours.size()) + ", got " +
                     text(offsets.back()));
  }

  const std::size_t num_nodes = offsets.size() - 1;
  Pace pace(budget);
  for (std::size_t v = 0; v < num_nodes; ++v) {
    Node last = -1;
    for (const Node w : neighbours.subspan(idx(offsets[v]), idx(offsets[v + 1] - offsets[v]))) {
      if (w < 0 || idx(w) >= num_nodes) {
        throw GraphError("node " + text(v) + ": expected neighbours from 0 to " + text(num_nodes - 1) + ", got " +
                         text(w));
      }
      if (idx(w) == v) throw GraphError("node " + text(v) + ": expected no loop, got the node among its neighbours");
      if (w <= last) {
        throw GraphError("node " + text(v) + ": expected distinct neighbours in ascending order, got " + text(last) +
                         " and then " + text(w));
      }
      last = w;
      pace.step();
    }
  }

  // Nodes come ascending, and so do the lists: the next unread neighbour of w must be each v that lists w.
  const Borrowed bytes(budget, num_nodes * sizeof(Offset));
  Buffer<Offset> next(num_nodes);
  std::copy_n(offsets.data(), num_nodes, next.data());
  for (std::size_t v = 0; v < num_nodes; ++v) {
    for (Offset i = offsets[v]; i < offsets[v + 1]; ++i) {
      const std::size_t w = idx(neighbours[idx(i)]);
      const std::size_t listed = next[w] == offsets[w + 1] ? num_nodes : idx(neighbours[idx(next[w])]);
      if (listed != v) {
        const auto [from, to] = listed < v ? std::pair{w, listed} : std::pair{v, w};
        throw GraphError("expected both directions of every edge, got node " + text(to) + " among the neighbours of " +
                         text(from) + ", but not node " + text(from) + " among those of " + text(to));
      }
      ++next[w];
      pace.step();
    }
  }
}

}  // namespace cliquepool
