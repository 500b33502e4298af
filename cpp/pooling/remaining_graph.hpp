// The part of a graph that is not pooled yet, in the form that the pooling by degeneracy needs.
#pragma once

#include <span>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/prefetch.hpp"
#include "base/types.hpp"
#include "graph/oriented_graph.hpp"
#include "pooling/saved_rows.hpp"

namespace cliquepool {

// A weighted graph oriented by its degeneracy order, with live flags. Vertices are named by their ranks. The list of
// later neighbours of a vertex shrinks to the live ones each time it is refreshed.
//
// A vertex of fewer later neighbours than a word has bits can keep the edges between them as adjacency rows, for
// several searches. Its list then stays as it is, live or not, until the rows are dropped.
//
// Threads may refresh and sort the lists of different vertices at the same time, or build rows of different vertices,
// which reads the lists of others; but not both at once.
//
// Keeps its memory between graphs, bound to the budget of each (see charged_buffer.hpp).
class RemainingGraph {
 public:
  void bind(Budget& budget) { bind_all(budget, oriented_, num_later_, live_, weight_, rows_); }
  void unbind() { unbind_all(oriented_, num_later_, live_, weight_, rows_); }

  // `live` has a flag for each vertex id: only flagged vertices are left. Threads that build rows have numbers below
  // `threads`.
  void build(const WeightedGraph& graph, std::span<const unsigned char> live, unsigned threads, Budget& budget);

  Node num_vertices() const { return oriented_.num_vertices(); }
  Node degeneracy() const { return oriented_.degeneracy(); }
  Node vertex(Rank v) const { return oriented_.vertex(v); }
  Node weight(Rank v) const { return weight_.empty() ? 1 : weight_[idx(v)]; }
  bool is_live(Rank v) const { return live_[idx(v)] != 0; }
  // Makes vertices, given by their ids, no longer live. A vertex may be given several times.
  void remove(std::span<const Node> vertices, unsigned threads, Budget& budget);

  // The later neighbours that were live when the list was last refreshed.
  std::span<const Rank> later(Rank v) const { return {all_later(v), idx(num_later_[idx(v)])}; }
  void refresh_later(Rank v);
  // Sorts the list by falling rank, so that the later neighbours of each member come before it.
  void sort_later(Rank v);
  // Starts to load where the list of a vertex begins, and how long it is.
  void prefetch_start(Rank v) const {
    oriented_.prefetch_start(v);
    prefetch(num_later_.data() + idx(v));
  }
  void prefetch_starts_of(std::span<const Rank> vertices) const {
    for (const Rank u : vertices) prefetch_start(u);
  }
  // Starts to load the lists of all these vertices.
  void prefetch_later_of(std::span<const Rank> vertices) const {
    prefetch_starts_of(vertices);
    for (const Rank u : vertices) prefetch_list(all_later(u));
  }

  // Adjacency rows among the later neighbours of v. Bit i of a set stands for the i-th of them, counted from 1.
  bool has_rows(Rank v) const { return rows_.has(v); }
  void load_rows(Rank v, std::span<Word> rows) const { rows_.load(v, rows); }
  // Writes the rows and keeps them. Returns the work done. `index_of` holds 0 for every vertex, before and after.
  std::size_t build_rows(Rank v, std::span<unsigned char> index_of, std::span<Word> rows, unsigned thread);
  void drop_rows(Rank v) { rows_.drop(v); }
  // Frees the rows of all vertices, for good. No thread may use the graph meanwhile.
  void drop_all_rows() { rows_.drop_all(); }
  // The later neighbours that are still live.
  Word live_in_rows(Rank v) const {
    Word live = 0;
    int index = 0;
    for (const Rank u : later(v)) live |= Word{live_[idx(u)]} << ++index;
    return live;
  }

 private:
  Rank* all_later(Rank v) { return oriented_.later(v).data(); }
  const Rank* all_later(Rank v) const { return oriented_.later(v).data(); }

  OrientedGraph<Rank> oriented_;
  ChargedBuffer<Node> num_later_;
  ChargedBuffer<unsigned char> live_;
  ChargedBuffer<Node> weight_;  // empty: all ones
  SavedRows rows_;
};

}  // namespace cliquepool
