// A graph whose edges point forwards in a degeneracy order, so that every clique lies in the later neighbours of its
// first member.
#pragma once

#include <concepts>
#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/prefetch.hpp"
#include "base/types.hpp"
#include "graph/degeneracy.hpp"

namespace cliquepool {

// The later neighbours of each vertex. `Vertex` says how vertices are named here, as keys and in the lists:
// - Rank: by their rank in the degeneracy order. Vertices that are searched one after the other lie close together.
// - Node: by their id. Lists are ascending.
// Keeps its memory between graphs, bound to the budget of each (see charged_buffer.hpp).
template <typename Vertex>
class OrientedGraph {
  static_assert(std::same_as<Vertex, Rank> || std::same_as<Vertex, Node>);

 public:
  OrientedGraph() = default;  // unbound
  explicit OrientedGraph(Budget& budget) { bind(budget); }
  void bind(Budget& budget) { bind_all(budget, order_, start_, later_); }
  void unbind() { unbind_all(order_, start_, later_); }

  // Linear time.
  void build(GraphView graph, Pace& pace);
  // The same on several threads, if the graph is worth them.
  void build(GraphView graph, unsigned threads, Budget& budget);

  Node num_vertices() const { return static_cast<Node>(start_.size()) - 1; }
  Offset num_edges() const { return start_.back(); }
  Node degeneracy() const { return order_.degeneracy(); }

  // No more than the degeneracy.
  std::span<const Vertex> later(Vertex v) const { return {later_.data() + start_[idx(v)], size(v)}; }
  std::span<Vertex> later(Vertex v) { return {later_.data() + start_[idx(v)], size(v)}; }
  void prefetch_start(Vertex v) const { prefetch(start_.data() + idx(v)); }
  // The position of the list of v among all lists: for arrays with a value beside each later neighbour.
  Offset start(Vertex v) const { return start_[idx(v)]; }

  std::span<const Node> order() const { return order_.order(); }
  std::span<const Rank> ranks() const { return order_.rank(); }
  Node vertex(Rank rank) const { return order()[idx(rank)]; }
  Rank rank(Node vertex) const { return ranks()[idx(vertex)]; }
  // Frees the order, its inverse and what it took to compute them; the later neighbours stay.
  void forget_order() { order_.forget(); }

 private:
  void list_later(GraphView graph, unsigned threads, Budget& budget);
  std::size_t size(Vertex v) const { return idx(start_[idx(v) + 1] - start_[idx(v)]); }

  DegeneracyOrder order_;
  ChargedBuffer<Offset> start_;  // of the list of each vertex, + 1
  ChargedBuffer<Vertex> later_;
};

template <>
void OrientedGraph<Rank>::build(GraphView graph, Pace& pace);
template <>
void OrientedGraph<Rank>::build(GraphView graph, unsigned threads, Budget& budget);
template <>
void OrientedGraph<Rank>::list_later(GraphView graph, unsigned threads, Budget& budget);
template <>
void OrientedGraph<Node>::build(GraphView graph, Pace& pace);

}  // namespace cliquepool
