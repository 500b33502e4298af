// The part of the listing that belongs to one node v: the cliques whose first node in the degeneracy order is v.
// They lie in v's later neighbours; its earlier neighbours say which of them are not maximal.
#pragma once

#include <cstddef>
#include <span>

#include "base/bitset.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "cliques/sink.hpp"
#include "graph/degeneracy.hpp"

namespace cliquepool::listing {

inline constexpr Node kNoNode = -1;

// A search for the maximal cliques that hold `taken` and otherwise only nodes of `candidates`, over local ids
// 0..size-1 in node order. An excluded node is kept as the set of candidates it is adjacent to: some, but not all.
struct LocalProblem {
  explicit LocalProblem(Budget& budget) : nodes(budget), rows(budget), excluded(budget) {}

  std::size_t size = 0;
  std::size_t words = 0;  // of a set of local ids
  std::size_t num_excluded = 0;
  Charged<Node> nodes;  // ascending, then kNoNode; whole words of them and one more
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
    nodes.resize(words * kWordBits + 1);
    nodes[size] = nodes[words * kWordBits - 1] = kNoNode;
    taken.assign(words, 0);
    candidates.assign(words, 0);
    excluded.resize(0);
    beside.clear();
  }
};

// The neighbours of each node that come after it in the degeneracy order: what the threads share.
class LaterNeighbours {
 public:
  LaterNeighbours(GraphView graph, Budget& budget) : start_(budget), later_(budget) {
    Pace pace(budget);
    DegeneracyOrder order;
    order.bind(budget);
    order.compute(graph, pace);
    degeneracy_ = order.degeneracy();
    const Rank* const rank = order.rank().data();
    const Node n = graph.num_nodes();
    start_.resize(idx(n) + 1);
    later_.resize(idx(graph.num_edges()) + 1);  // one more, to be tried and overwritten
    Offset end = 0;
    for (Node v = 0; v < n; ++v) {
      start_[idx(v)] = end;
      for (const Node u : graph[v]) {
        later_[idx(end)] = u;
        end += rank[u] > rank[v];
      }
      pace.step(1 + graph[v].size() / 16);
    }
    start_[idx(n)] = end;
  }

  // Ascending by id.
  std::span<const Node> operator[](Node v) const {
    const Offset begin = start_[idx(v)];
    return {later_.data() + begin, idx(start_[idx(v) + 1] - begin)};
  }
  Node degeneracy() const { return degeneracy_; }

 private:
  Charged<Offset> start_;
  Charged<Node> later_;
  Node degeneracy_ = 0;
};

}  // namespace cliquepool::listing
