#include "pooling/word_neighbourhoods.hpp"

#include <algorithm>
#include <atomic>

#include "base/large_pages.hpp"
#include "base/parallel.hpp"
#include "base/prefetch.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kVerticesPerRange = 2048;
constexpr std::size_t kNeighboursWorthThreads = 1 << 16;
constexpr std::size_t kAhead = 2;  // vertices whose edges are found next

// Turns the counts in values[1] to values[n] into sums.
void add_up(std::span<Offset> values, Budget& budget) {
  values[0] = 0;
  for_each_block(values.size() - 1, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) values[i + 1] += values[i];
  });
}

}  // namespace

void WordNeighbourhoods::bind(Budget& budget) {
  bind_all(budget, hub_, start_, neighbour_, heads_, bits_, rows_start_, rows_, edges_between_);
  for (auto& slots : slot_of_) slots.bind(budget);
}

void WordNeighbourhoods::unbind() {
  unbind_all(hub_, start_, neighbour_, heads_, bits_, rows_start_, rows_, edges_between_);
  for (auto& slots : slot_of_) slots.unbind();
}

bool WordNeighbourhoods::fill(const WeightedGraph& graph, unsigned threads, Budget& budget) {
  if (graph.graph.neighbours.size() < kNeighboursWorthThreads) threads = 1;
  if (!hubs_fit(graph, threads, budget)) return false;
  list_later(graph.graph, threads, budget);
  if (!assign_bits(graph.weights, threads, budget)) return false;
  find_edges_between(threads, budget);
  return true;
}

// Finds the hubs. Returns false if single weights or the hubs alone exceed a word: this rejects most graphs that do
// not fit before anything else is built.
bool WordNeighbourhoods::hubs_fit(const WeightedGraph& weighted, unsigned threads, Budget& budget) {
  const GraphView graph = weighted.graph;
  const std::size_t n = idx(graph.num_nodes());
  std::atomic<bool> fits = true;
  std::atomic<bool> has_hubs = false;
  hub_.resize(n);
  share_ranges(threads, n, kVerticesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    bool any = false;
    for (std::size_t v = first; v < last; ++v) {
      hub_[v] = graph.degree(static_cast<Node>(v)) > kWordBits;
      any = any || hub_[v];
      if (weighted.weight(static_cast<Node>(v)) > kWordBits) fits = false;
    }
    if (any) has_hubs = true;
  });
  has_hubs_ = has_hubs;
  if (!has_hubs_ || !fits) return fits;
  share_ranges(threads, n, kVerticesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    Pace pace(budget);
    for (std::size_t i = first; i < last && fits; ++i) {
      const auto v = static_cast<Node>(i);
      if (!hub_[i]) continue;
      int later_hubs = 0;
      for (const Node u : graph[v]) later_hubs += hub_[idx(u)] & (u > v);
      if (later_hubs > kWordBits) fits = false;
      pace.step(graph[v].size());
    }
  });
  return fits;
}

// Lists the later neighbours of each vertex, hubs last.
void WordNeighbourhoods::list_later(GraphView graph, unsigned threads, Budget& budget) {
  const std::size_t n = idx(graph.num_nodes());
  const unsigned char* const hub = hub_.data();
  start_.resize(n + 1);
  advise_large_pages(start_);
  share_ranges(threads, n, kVerticesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto v = static_cast<Node>(i);
      const auto neighbours = graph[v];
      Offset later = 0;
      if (!has_hubs_) {
        later = neighbours.end() - std::upper_bound(neighbours.begin(), neighbours.end(), v);
      } else if (hub[i]) {
        for (const Node u : neighbours) later += hub[u] & (u > v);
      } else {
        for (const Node u : neighbours) later += hub[u] | (u > v);
      }
      start_[i + 1] = later;
    }
  });
  add_up(start_.span(), budget);
  neighbour_.resize(idx(start_[n]));
  advise_large_pages(neighbour_);
  share_ranges(threads, n, kVerticesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto v = static_cast<Node>(i);
      const auto neighbours = graph[v];
      Node* to = neighbour_.data() + start_[i];
      if (!has_hubs_) {
        std::copy(neighbours.end() - (start_[i + 1] - start_[i]), neighbours.end(), to);
      } else if (hub[i]) {
        for (const Node u : neighbours)
          if (hub[u] & (u > v)) *to++ = u;
      } else {
        for (const Node u : neighbours)
          if ((hub[u] ^ 1) & (u > v)) *to++ = u;
        for (const Node u : neighbours)
          if (hub[u]) *to++ = u;
      }
    }
  });
}

// Gives the later neighbours of each vertex their bits. Returns false if they do not fit into a word.
bool WordNeighbourhoods::assign_bits(std::span<const Node> weights, unsigned threads, Budget& budget) {
  const std::size_t n = hub_.size();
  const bool unit_weights = std::all_of(weights.begin(), weights.end(), [](Node weight) { return weight == 1; });
  heads_.resize(unit_weights ? 0 : n);
  bits_.resize(n);
  rows_start_.resize(n + 1);
  std::atomic<bool> fits = true;
  share_ranges(threads, n, kVerticesPerRange, budget, [&](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last && fits; ++v)
      if (!assign_bits_to(static_cast<Node>(v), weights)) fits = false;
  });
  if (fits) add_up(rows_start_.span(), budget);
  return fits;
}

bool WordNeighbourhoods::assign_bits_to(Node v, std::span<const Node> weights) {
  Word heads = 0;
  Node bits = 0;
  for (const Node u : later(v)) {
    const Node weight = weights.empty() ? 1 : weights[idx(u)];
    if (weight > kWordBits - bits) return false;
    heads |= Word{1} << bits;
    bits += weight;
  }
  if (!heads_.empty()) heads_[idx(v)] = heads;
  bits_[idx(v)] = static_cast<unsigned char>(bits);
  rows_start_[idx(v) + 1] = static_cast<Offset>(later(v).size() * row_bytes(v));
  return true;
}

// Finds the edges between later neighbours of the same vertex.
void WordNeighbourhoods::find_edges_between(unsigned threads, Budget& budget) {
  const std::size_t n = hub_.size();
  edges_between_.resize(n);
  rows_.resize(idx(rows_start_[n]));
  while (slot_of_.size() < threads) slot_of_.emplace_back(budget);
  share_ranges(threads, n, kVerticesPerRange, budget, [&](unsigned thread, std::size_t first, std::size_t last) {
    if (slot_of_[thread].empty()) slot_of_[thread].assign(n, 0);
    Pace pace(budget);
    for (std::size_t v = first; v < last; ++v) {
      if (v + 2 * kAhead < n) prefetch_starts(static_cast<Node>(v + 2 * kAhead));
      if (v + kAhead < n) prefetch_lists(static_cast<Node>(v + kAhead));
      pace.step(find_edges_between_later(static_cast<Node>(v), slot_of_[thread].data()));
    }
  });
}

// The lists of the later neighbours of v are read soon: starts to load where they begin, then the lists.
void WordNeighbourhoods::prefetch_starts(Node v) const {
  for (const Node u : later(v)) prefetch(start_.data() + u);
}

void WordNeighbourhoods::prefetch_lists(Node v) const {
  for (const Node u : later(v)) prefetch(neighbour_.data() + start_[idx(u)]);
}

// Returns the work done.
std::size_t WordNeighbourhoods::find_edges_between_later(Node v, unsigned char* slot_of) {
  const auto neighbours = later(v);
  std::array<Word, kWordBits + 1> bits_of_slot;  // from 1
  std::array<Word, kWordBits> rows;
  Word any = 0;
  std::size_t work = 0;
  if (neighbours.size() == 1) rows[0] = 0;
  if (neighbours.size() > 1) {
    bits_of_slot[0] = 0;
    for_each_twins(v, [&](std::size_t slot, Word twins) { bits_of_slot[slot + 1] = twins; });
    for (std::size_t slot = 0; slot < neighbours.size(); ++slot) {
      slot_of[neighbours[slot]] = static_cast<unsigned char>(slot + 1);
    }
    for (std::size_t slot = 0; slot < neighbours.size(); ++slot) {
      const auto others = later(neighbours[slot]);
      Word row = 0;
      for (const Node x : others) row |= bits_of_slot[slot_of[x]];
      rows[slot] = row;
      any |= row;
      work += others.size();
    }
    for (const Node u : neighbours) slot_of[u] = 0;
  }
  edges_between_[idx(v)] = any != 0;
  pack_rows({rows.data(), neighbours.size()}, row_bytes(v), rows_.data() + rows_start_[idx(v)]);
  return work;
}

WordVertices WordNeighbourhoods::unpack(Node v, Unpacked& memory) const {
  for_each_twins(v, [&](std::size_t slot, Word twins) { memory.twins[slot] = twins; });
  unpack_rows(rows_.data() + rows_start_[idx(v)], row_bytes(v), {memory.later.data(), later(v).size()});
  return {heads(v), memory.twins.data(), memory.later.data(), later(v).data()};
}

}  // namespace cliquepool
