// The part of the listing that belongs to one node v: the cliques whose first node in the degeneracy order is v.
// They lie in v's later neighbours; its earlier neighbours say which of them are not maximal.
#pragma once

#include <cstddef>
#include <span>

#include "degeneracy.hpp"
#include "listing_bits.hpp"
#include "listing_charged.hpp"
#include "listing_sink.hpp"
#include "types.hpp"

namespace cliquepool::listing {

// A search for the maximal cliques that hold `taken` and otherwise only nodes of `candidates`, over local ids
// 0..size-1 in node order. An excluded node is kept as the set of candidates it is adjacent to: some, but not all.
struct LocalProblem {
  explicit LocalProblem(Budget& budget) : nodes(budget), rows(budget), excluded(budget) {}

  std::size_t size = 0;
  std::size_t words = 0;  // of a set of local ids
  std::size_t num_excluded = 0;
  Charged<Node> nodes;  // ascending; whole words of them and kTableSlack
  Charged<Word> rows;   // candidates adjacent to each local id
  Charged<Word> excluded;
  Buffer<Word> taken;
  Buffer<Word> candidates;
  Buffer<Node> beside;  // taken nodes without a local id, ascending

  NodeTable table() const { return {nodes.data(), beside.span()}; }
  Word* row(std::size_t i) { return rows.data() + i * words; }
  const Word* row(std::size_t i) const { return rows.data() + i * words; }
  const Word* excluded_row(std::size_t i) const { return excluded.data() + i * words; }

  // Empty sets and an empty table of `new_size` local ids.
  void reset(std::size_t new_size, std::size_t new_words) {
    size = new_size;
    words = new_words;
    num_excluded = 0;
    nodes.resize(words * kWordBits + kTableSlack);
    for (std::size_t i = size; i < nodes.size(); ++i) nodes[i] = 0;
    taken.assign(words, 0);
    candidates.assign(words, 0);
    excluded.resize(0);
    beside.clear();
  }
};

// The graph renamed by rank in its degeneracy order: what the threads share.
class LaterNeighbours {
 public:
  LaterNeighbours(GraphView graph, Budget& budget) : start_(budget), later_(budget) {
    const Node n = graph.num_nodes();
    degeneracy_.compute(graph);
    start_.resize(idx(n) + 1);
    start_[0] = 0;
    const auto rank = degeneracy_.rank();
    const auto order = degeneracy_.order();
    for (Node v = 0; v < n; ++v) {
      Offset after = 0;
      const Node node = order[idx(v)];
      for (const Node u : graph[node]) after += rank[idx(u)] > v;
      start_[idx(v) + 1] = start_[idx(v)] + after;
    }
    later_.resize(idx(start_[idx(n)]));
    Buffer<Offset> next(idx(n));
    for (Node v = 0; v < n; ++v) next[idx(v)] = start_[idx(v)];
    for (Node v = 0; v < n; ++v) {
      for (const Node u : graph[order[idx(v)]]) {
        const Node r = rank[idx(u)];
        if (r < v) later_[idx(next[idx(r)]++)] = v;
      }
    }
  }

  // Ranks, ascending.
  std::span<const Node> at(Node v) const {
    return later_.span().subspan(idx(start_[idx(v)]), idx(start_[idx(v) + 1] - start_[idx(v)]));
  }
  Node node(Node v) const { return degeneracy_.order()[idx(v)]; }
  Node rank(Node node) const { return degeneracy_.rank()[idx(node)]; }
  Node degeneracy() const { return degeneracy_.degeneracy(); }

 private:
  DegeneracyOrder degeneracy_;
  Charged<Offset> start_;
  Charged<Node> later_;
};

}  // namespace cliquepool::listing
