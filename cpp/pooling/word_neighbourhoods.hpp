// Cliques of a graph whose vertices each have so few later neighbours that a set of them is one machine word.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/packed_rows.hpp"
#include "base/types.hpp"
#include "pooling/word_clique_search.hpp"

namespace cliquepool {

// A clique is found at its leader, its first member, among the later neighbours of the leader. Vertices are ordered by
// id, but hubs (vertices with more than 64 neighbours) come after all others. For each vertex, its later neighbours are
// given bits as WordVertices describes. The edges between them are kept as one row for each, of as many bytes as the
// bits need: 1, 2, 4 or 8.
//
// Keeps its memory between graphs, bound to the budget of each (see charged_buffer.hpp).
class WordNeighbourhoods {
 public:
  void bind(Budget& budget);
  void unbind();

  // Returns false, and leaves the neighbourhoods unusable, if the later neighbours of some vertex weigh more than 64.
  // Uses several threads if the graph is worth them.
  bool fill(const WeightedGraph& graph, unsigned threads, Budget& budget);

  // Returns whether cliques listed by ascending leader are in canonical order.
  bool in_order() const { return !has_hubs_; }

  // The later neighbours of a vertex as a set: the live ones, and all.
  Word live_later(Node v, const unsigned char* live) const {
    Word set = 0;
    const Node* neighbour = neighbour_.data() + start_[idx(v)];
    for_each_twins(v, [&](std::size_t, Word twins) { set |= twins & -Word{live[*neighbour++]}; });
    return set;
  }
  Word all_later(Node v) const { return all_up_to(bits_[idx(v)]); }

  // Returns the weight of the heaviest clique in `among`, a set of later neighbours of v, or `least` if none weighs
  // more. Every vertex tried costs one unit of `effort`; once it is below 0, the result is not valid.
  Node max_clique_weight(Node v, Word among, Node least, std::int64_t& effort) const {
    if (!has_edges_between(v) && heads(v) == all_later(v)) return std::max(least, among == 0 ? 0 : 1);
    Unpacked memory;
    WordCliqueSearch search(unpack(v, memory), effort);
    const Node weight = search.max_weight(among, least);
    effort = search.effort();
    return weight;
  }

  // Appends each clique of v and of exactly this weight in `among`, a set of later neighbours of v, to `cliques`.
  // Requires that none there weighs more. Every vertex tried costs one unit of `effort`; once it is below 0, the list
  // is incomplete.
  void list_cliques(Node v, Word among, Node weight, Ragged& cliques, std::int64_t& effort) const {
    Unpacked memory;
    WordCliqueSearch search(unpack(v, memory), effort);
    search.list_with(v, among, weight, cliques);
    effort = search.effort();
  }

 private:
  // The later neighbours of one vertex, in whole words.
  struct Unpacked {
    std::array<Word, kWordBits> twins;
    std::array<Word, kWordBits> later;
  };

  static Word all_up_to(Node bits) { return bits == 0 ? 0 : ~Word{0} >> (kWordBits - bits); }
  std::size_t row_bytes(Node v) const { return packed_bytes(bits_[idx(v)]); }

  // The first bits of the later neighbours of v.
  Word heads(Node v) const { return heads_.empty() ? all_later(v) : heads_[idx(v)]; }
  std::span<const Node> later(Node v) const {
    return {neighbour_.data() + start_[idx(v)], idx(start_[idx(v) + 1] - start_[idx(v)])};
  }
  bool has_edges_between(Node v) const { return edges_between_[idx(v)] != 0; }

  // Calls visit(slot, bits) for each later neighbour of v.
  template <typename Visit>
  void for_each_twins(Node v, Visit&& visit) const {
    const Word all = all_later(v);
    std::size_t slot = 0;
    for (Word rest = heads(v); rest != 0;) {
      const Word head = rest & -rest;
      rest &= rest - 1;
      visit(slot++, (rest == 0 ? all : (rest & -rest) - 1) & ~(head - 1));
    }
  }
  WordVertices unpack(Node v, Unpacked& memory) const;

  bool hubs_fit(const WeightedGraph& weighted, unsigned threads, Budget& budget);
  void list_later(GraphView graph, unsigned threads, Budget& budget);
  bool assign_bits(std::span<const Node> weights, unsigned threads, Budget& budget);
  bool assign_bits_to(Node v, std::span<const Node> weights);
  void find_edges_between(unsigned threads, Budget& budget);
  void prefetch_starts(Node v) const;
  void prefetch_lists(Node v) const;
  std::size_t find_edges_between_later(Node v, unsigned char* slot_of);

  bool has_hubs_ = false;
  ChargedBuffer<unsigned char> hub_;   // per vertex: whether it is a hub
  ChargedBuffer<Offset> start_;        // per vertex: index of its first later neighbour; + 1
  ChargedBuffer<Node> neighbour_;      // later neighbours
  ChargedBuffer<Word> heads_;          // per vertex: first bits of its later neighbours; empty if all weigh one
  ChargedBuffer<unsigned char> bits_;  // per vertex: the weight of its later neighbours
  ChargedBuffer<Offset> rows_start_;   // per vertex: index of its first row in `rows_`; + 1
  ChargedBuffer<unsigned char> rows_;  // for each later neighbour, the bits of those after it that it is joined to
  ChargedBuffer<unsigned char> edges_between_;  // per vertex: whether its later neighbours have edges between them
  // Of each thread, per vertex: 1 + its slot while it is a later neighbour of the current vertex, else 0.
  std::vector<ChargedBuffer<unsigned char>> slot_of_;
};

}  // namespace cliquepool
