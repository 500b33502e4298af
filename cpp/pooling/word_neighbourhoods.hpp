// Cliques of a graph whose vertices each have so few later neighbours that a set of them is one machine word.
#pragma once

#include <algorithm>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "pooling/word_clique_search.hpp"

namespace cliquepool {

// A clique is found at its leader, its first member, among the later neighbours of the leader. Vertices are ordered by
// id, but hubs (vertices with more than 64 neighbours) come after all others. For each vertex, its later neighbours are
// given bits as WordVertices describes. Keeps its memory between graphs, bound to the budget of each (see
// charged_buffer.hpp).
class WordNeighbourhoods {
 public:
  void bind(Budget& budget) {
    bind_all(budget, hub_, start_, neighbour_, twins_, later_, heads_, edges_between_, bits_of_);
  }
  void unbind() { unbind_all(hub_, start_, neighbour_, twins_, later_, heads_, edges_between_, bits_of_); }

  // Returns false, and leaves the neighbourhoods unusable, if the later neighbours of some vertex weigh more than 64.
  bool fill(const WeightedGraph& graph, Pace& pace) {
    if (!hubs_fit(graph, pace) || !assign_bits(graph, pace)) return false;
    find_edges_between(pace);
    return true;
  }

  // Returns whether cliques listed by ascending leader are in canonical order.
  bool in_order() const { return !has_hubs_; }

  // The later neighbours of a vertex as a set: the live ones, and all.
  Word live_later(Node v, const unsigned char* live) const {
    Word set = 0;
    for (std::size_t e = first(v); e < last(v); ++e) set |= twins_[e] & -Word{live[neighbour_[e]]};
    return set;
  }
  Word all_later(Node v) const { return last(v) == first(v) ? 0 : all_up_to(twins_[last(v) - 1]); }

  // Returns the weight of the heaviest clique in `among`, a set of later neighbours of v, or `least` if none weighs
  // more. Every vertex tried costs one unit of `effort`; once it is below 0, the result is not valid.
  Node max_clique_weight(Node v, Word among, Node least, std::int64_t& effort) const {
    if (!has_edges_between(v) && heads_[idx(v)] == all_later(v)) return std::max(least, among == 0 ? 0 : 1);
    WordCliqueSearch search(later_neighbours(v), effort);
    const Node weight = search.max_weight(among, least);
    effort = search.effort();
    return weight;
  }

  // Appends each clique of v and of exactly this weight in `among`, a set of later neighbours of v, to `cliques`.
  // Requires that none there weighs more. Every vertex tried costs one unit of `effort`; once it is below 0, the list
  // is incomplete.
  void list_cliques(Node v, Word among, Node weight, Ragged& cliques, std::int64_t& effort) const {
    WordCliqueSearch search(later_neighbours(v), effort);
    search.list_with(v, among, weight, cliques);
    effort = search.effort();
  }

 private:
  std::size_t first(Node v) const { return idx(start_[idx(v)]); }
  std::size_t last(Node v) const { return idx(start_[idx(v) + 1]); }
  WordVertices later_neighbours(Node v) const {
    const std::size_t e = first(v);
    return {heads_[idx(v)], twins_.data() + e, later_.data() + e, neighbour_.data() + e};
  }
  bool has_edges_between(Node v) const { return edges_between_[idx(v)] != 0; }
  static Word all_up_to(Word highest) { return highest | (highest - 1); }

  // Finds the hubs. Returns false if single weights or the hubs alone exceed a word: this rejects most graphs that do
  // not fit before anything else is built.
  bool hubs_fit(const WeightedGraph& weighted, Pace& pace) {
    const GraphView graph = weighted.graph;
    const Node n = graph.num_nodes();
    for (const Node weight : weighted.weights)
      if (weight > kWordBits) return false;
    hub_.resize(idx(n));
    has_hubs_ = false;
    for (Node v = 0; v < n; ++v) {
      hub_[idx(v)] = graph.degree(v) > kWordBits;
      has_hubs_ = has_hubs_ || hub_[idx(v)];
    }
    for (Node v = 0; has_hubs_ && v < n; ++v) {
      if (!hub_[idx(v)]) continue;
      int later_hubs = 0;
      for (const Node u : graph[v]) later_hubs += hub_[idx(u)] & (u > v);
      if (later_hubs > kWordBits) return false;
      pace.step(graph[v].size());
    }
    return true;
  }

  // Lists the later neighbours of each vertex, hubs last, and assigns their bits. Returns false if they do not fit.
  bool assign_bits(const WeightedGraph& weighted, Pace& pace) {
    const GraphView graph = weighted.graph;
    const Node n = graph.num_nodes();
    start_.resize(idx(n) + 1);
    heads_.resize(idx(n));
    neighbour_.resize(graph.neighbours.size() / 2 + 1);  // the loop below also writes one after the last
    twins_.resize(graph.neighbours.size() / 2);
    const unsigned char* const hub = hub_.data();
    Node* const neighbour = neighbour_.data();
    Offset end = 0;
    start_[0] = 0;
    for (Node v = 0; v < n; ++v) {
      const Offset begin = end;
      const auto neighbours = graph[v];
      const auto append_if = [&](auto&& is_later) {  // without a branch per neighbour
        for (const Node u : neighbours) {
          neighbour[end] = u;
          end += is_later(u);
        }
      };
      if (!has_hubs_) {
        append_if([&](Node u) { return u > v; });
      } else if (hub[v]) {
        append_if([&](Node u) { return hub[u] & (u > v); });
      } else {
        append_if([&](Node u) { return (hub[u] ^ 1) & (u > v); });
        append_if([&](Node u) { return hub[u]; });
      }
      start_[idx(v) + 1] = end;
      if (!assign_bits_to(v, begin, end, weighted.weights)) return false;
      pace.step(neighbours.size() + 1);
    }
    return true;
  }
  bool assign_bits_to(Node v, Offset begin, Offset end, std::span<const Node> weights) {
    const Node* const neighbour = neighbour_.data();
    Word* const twins = twins_.data();
    Word heads = 0;
    Node bits = 0;
    for (Offset e = begin; e < end; ++e) {
      const Node weight = weights.empty() ? 1 : weights[idx(neighbour[e])];
      if (weight > kWordBits - bits) return false;
      heads |= Word{1} << bits;
      twins[e] = (~Word{0} >> (kWordBits - weight)) << bits;
      bits += weight;
    }
    heads_[idx(v)] = heads;
    return true;
  }

  // Finds the edges between later neighbours of the same vertex.
  void find_edges_between(Pace& pace) {
    const std::size_t n = heads_.size();
    bits_of_.assign(n, 0);
    edges_between_.resize(n);
    later_.resize(twins_.size());
    const Offset* const start = start_.data();
    const Node* const neighbour = neighbour_.data();
    const Word* const twins = twins_.data();
    Word* const bits_of = bits_of_.data();
    Word* const later = later_.data();
    for (std::size_t v = 0; v < n; ++v) {
      const Offset begin = start[v];
      const Offset end = start[v + 1];
      Word any = 0;
      if (end - begin == 1) later[begin] = 0;
      if (end - begin > 1) {
        std::uint64_t steps = 0;
        for (Offset e = begin; e < end; ++e) bits_of[neighbour[e]] = twins[e];
        for (Offset e = begin; e < end; ++e) {
          const Node u = neighbour[e];
          Word common = 0;
          for (Offset i = start[u]; i < start[u + 1]; ++i) common |= bits_of[neighbour[i]];
          later[e] = common;
          any |= common;
          steps += idx(start[u + 1] - start[u]);
        }
        for (Offset e = begin; e < end; ++e) bits_of[neighbour[e]] = 0;
        pace.step(steps);
      }
      edges_between_[v] = any;
    }
  }

  bool has_hubs_ = false;
  ChargedBuffer<unsigned char> hub_;   // per vertex: whether it is a hub
  ChargedBuffer<Offset> start_;        // per vertex: index of its first later neighbour in the next three arrays; + 1
  ChargedBuffer<Node> neighbour_;      // later neighbours
  ChargedBuffer<Word> twins_;          // bits of each
  ChargedBuffer<Word> later_;          // bits, for the same vertex, of the later neighbours of each
  ChargedBuffer<Word> heads_;          // per vertex: first bits of its later neighbours
  ChargedBuffer<Word> edges_between_;  // per vertex: its later neighbours with an edge to an earlier one of them
  ChargedBuffer<Word> bits_of_;  // per vertex: its bits while it is a later neighbour of the current vertex, else 0
};

}  // namespace cliquepool
