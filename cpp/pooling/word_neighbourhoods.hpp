// Cliques of a graph whose vertices each have so few later neighbours that a set of them is one machine word.
#pragma once

#include <algorithm>
#include <array>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// A clique is found at its first member, its leader, within the later neighbours of that one. Vertices stand in the
// order of their ids, but hubs, those of many neighbours, come after all others. A later neighbour of weight w stands
// for w twins, as w bits in a row: the weight of a set of whole vertices is the number of its bits. Keeps its memory
// between graphs.
class WordNeighbourhoods {
 public:
  static std::int64_t bytes(GraphView graph) {
    constexpr std::size_t kOfEdge = sizeof(Node) + 2 * sizeof(Word);
    constexpr std::size_t kOfVertex = sizeof(Offset) + 3 * sizeof(Word) + 2 * sizeof(Node);
    return static_cast<std::int64_t>(graph.neighbours.size() / 2 * kOfEdge + graph.offsets.size() * kOfVertex);
  }

  // False, with nothing to be asked for, when some later neighbours weigh too much.
  bool fill(GraphView graph, std::span<const Node> weights, Pace& pace) {
    if (!hubs_fit(graph, weights, pace) || !place_later(graph, weights, pace)) return false;
    join_later(pace);
    return true;
  }

  // Cliques are listed in canonical order if they are asked for by ascending leaders.
  bool in_order() const { return !has_hubs_; }

  // The later neighbours of a vertex that are live, as bits.
  Word live_later(Node v, const unsigned char* live) const {
    Word set = 0;
    for (std::size_t e = first(v); e < last(v); ++e) set |= twins_[e] & -Word{live[later_[e]]};
    return set;
  }
  Word all_later(Node v) const { return last(v) == first(v) ? 0 : all_bits(twins_[last(v) - 1]); }

  // The weight of the heaviest clique in `among`, later neighbours of v, or `least` where there is none as heavy.
  // Tries all that may be heavier; counts its tries off `effort`, and is of no use once that is below 0.
  Node heaviest(Node v, Word among, Node least, std::int64_t& effort) {
    if (joined_[idx(v)] == 0 && heads(v) == all_later(v)) return std::max(least, among == 0 ? 0 : 1);
    Search search{*this, first(v), heads(v), least, effort};
    search.improve(among, 0);
    effort = search.effort;
    return search.best;
  }

  // Appends v with each clique of exactly this weight in `among`, later neighbours of v, to `cliques`; none there may
  // weigh more. Counts its tries off `effort`, and stops once that is below 0.
  void list_cliques(Node v, Word among, Node weight, Ragged& cliques, std::int64_t& effort) {
    chosen_[0] = v;
    if (weight == 0) {
      assert(among == 0);
      cliques.append({chosen_.data(), 1});
      return;
    }
    Search search{*this, first(v), heads(v), weight, effort};
    search.list(among, weight, 1, cliques);
    effort = search.effort;
  }

 private:
  struct Search {
    WordNeighbourhoods& all;
    std::size_t first;
    Word heads;
    Node best;
    std::int64_t effort;

    // Where the vertex of the lowest of these bits stands.
    std::size_t place(Word bits) const { return first + idx(std::popcount(heads & (bits ^ (bits - 1)))) - 1; }

    // `among` are joined to all taken so far, which weigh `weight`, and later than them.
    void improve(Word among, Node weight) {
      for (Word bits = among & heads; bits != 0; bits &= bits - 1) {
        if (weight + std::popcount(among) <= best || --effort < 0) return;
        const std::size_t e = place(bits);
        const Word twins = all.twins_[e];
        const Word next = among & all.joined_later_[e];
        const Node with = weight + std::popcount(twins);
        among &= ~twins;
        if (next == 0) {
          best = std::max(best, with);
        } else if (with + std::popcount(next) > best) {
          improve(next, with);
        }
      }
    }

    void list(Word among, Node need, std::size_t depth, Ragged& cliques) {
      for (Word bits = among & heads; bits != 0; bits &= bits - 1) {
        if (std::popcount(among) < need || --effort < 0) return;
        const std::size_t e = place(bits);
        const Word twins = all.twins_[e];
        const Word next = among & all.joined_later_[e];
        const Node missing = need - std::popcount(twins);
        assert(missing >= 0);
        among &= ~twins;
        all.chosen_[depth] = all.later_[e];
        if (missing == 0) {
          cliques.append({all.chosen_.data(), depth + 1});
        } else if (std::popcount(next) >= missing) {
          list(next, missing, depth + 1, cliques);
        }
      }
    }
  };

  std::size_t first(Node v) const { return idx(start_[idx(v)]); }
  std::size_t last(Node v) const { return idx(start_[idx(v) + 1]); }
  Word heads(Node v) const { return heads_[idx(v)]; }
  // All bits up to the highest.
  static Word all_bits(Word highest) { return highest | (highest - 1); }

  // Finds the hubs. False if they alone, or single weights, show that the graph does not fit: most that do not are told
  // here, before anything is spent on them.
  bool hubs_fit(GraphView graph, std::span<const Node> weights, Pace& pace) {
    const Node n = graph.num_nodes();
    for (const Node weight : weights)
      if (weight > kWordBits) return false;
    hub_.resize(idx(n));
    has_hubs_ = false;
    for (Node v = 0; v < n; ++v) {
      hub_[idx(v)] = graph.degree(v) > kWordBits;
      has_hubs_ = has_hubs_ || hub_[idx(v)];
    }
    for (Node v = 0; has_hubs_ && v < n; ++v) {
      if (!hub_[idx(v)]) continue;
      int later = 0;
      for (const Node u : graph[v]) later += hub_[idx(u)] & (u > v);
      if (later > kWordBits) return false;
      pace.step(graph[v].size());
    }
    return true;
  }

  // Finds the later neighbours of each vertex, hubs last, and gives them their bits.
  bool place_later(GraphView graph, std::span<const Node> weights, Pace& pace) {
    const Node n = graph.num_nodes();
    start_.resize(idx(n) + 1);
    heads_.resize(idx(n));
    later_.resize(graph.neighbours.size() / 2 + 1);  // one more is written, and left
    twins_.resize(graph.neighbours.size() / 2);
    const unsigned char* const hub = hub_.data();
    Node* const later = later_.data();
    Offset end = 0;
    start_[0] = 0;
    for (Node v = 0; v < n; ++v) {
      const Offset begin = end;
      const auto neighbours = graph[v];
      const auto take = [&](auto&& is_later) {
        for (const Node u : neighbours) {
          later[end] = u;
          end += is_later(u);
        }
      };
      if (!has_hubs_) {
        take([&](Node u) { return u > v; });
      } else if (hub[v]) {
        take([&](Node u) { return hub[u] & (u > v); });
      } else {
        take([&](Node u) { return (hub[u] ^ 1) & (u > v); });
        take([&](Node u) { return hub[u]; });
      }
      start_[idx(v) + 1] = end;
      if (!place(v, begin, end, weights)) return false;
      pace.step(neighbours.size() + 1);
    }
    return true;
  }
  bool place(Node v, Offset begin, Offset end, std::span<const Node> weights) {
    const Node* const later = later_.data();
    Word* const twins = twins_.data();
    Word heads = 0;
    Node bits = 0;
    for (Offset e = begin; e < end; ++e) {
      const Node weight = weights.empty() ? 1 : weights[idx(later[e])];
      if (weight > kWordBits - bits) return false;
      heads |= Word{1} << bits;
      twins[e] = (~Word{0} >> (kWordBits - weight)) << bits;
      bits += weight;
    }
    heads_[idx(v)] = heads;
    return true;
  }

  // Finds out which later neighbours of a vertex are joined.
  void join_later(Pace& pace) {
    const std::size_t n = heads_.size();
    place_.assign(n, 0);
    joined_.resize(n);
    joined_later_.resize(twins_.size());
    const Offset* const start = start_.data();
    const Node* const later = later_.data();
    const Word* const twins = twins_.data();
    Word* const place = place_.data();
    Word* const joined_later = joined_later_.data();
    for (std::size_t v = 0; v < n; ++v) {
      const Offset begin = start[v];
      const Offset end = start[v + 1];
      Word any = 0;
      if (end - begin == 1) joined_later[begin] = 0;
      if (end - begin > 1) {
        std::uint64_t steps = 0;
        for (Offset e = begin; e < end; ++e) place[later[e]] = twins[e];
        for (Offset e = begin; e < end; ++e) {
          const Node u = later[e];
          Word joined = 0;
          for (Offset i = start[u]; i < start[u + 1]; ++i) joined |= place[later[i]];
          joined_later[e] = joined;
          any |= joined;
          steps += idx(start[u + 1] - start[u]);
        }
        for (Offset e = begin; e < end; ++e) place[later[e]] = 0;
        pace.step(steps);
      }
      joined_[v] = any;
    }
  }

  bool has_hubs_ = false;
  Buffer<unsigned char> hub_;
  Buffer<Offset> start_;       // of each vertex in what follows, + 1
  Buffer<Node> later_;         // later neighbours
  Buffer<Word> twins_;         // the bits of each
  Buffer<Word> joined_later_;  // the bits of those joined to it and later than it
  Buffer<Word> heads_;         // of each vertex: the first bits of its later neighbours
  Buffer<Word> joined_;        // of each vertex: its later neighbours joined to an earlier one of them
  Buffer<Word> place_;         // per vertex: its bits while it is a later neighbour of the one at hand, else 0
  std::array<Node, kWordBits + 1> chosen_;
};

}  // namespace cliquepool
