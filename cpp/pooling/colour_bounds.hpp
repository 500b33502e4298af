// Upper bounds on cliques by a colouring of the whole graph.
#pragma once

#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "pooling/remaining_graph.hpp"

namespace cliquepool {

// A proper colouring: adjacent vertices have different colours, so that a clique has at most one vertex of each colour.
// Keeps its memory between graphs, bound to the budget of each (see charged_buffer.hpp).
class ColourBounds {
 public:
  void bind(Budget& budget);
  void unbind();

  // Colours the vertices, on up to `threads` threads. Any number of threads gives the same colours.
  void colour(const RemainingGraph& graph, unsigned threads, Budget& budget);

  // The weight of v and of the heaviest later neighbour of each colour: an upper bound on the weight of a clique of v
  // and later neighbours. Each thread passes its own number.
  Node bound(const RemainingGraph& graph, Rank v, unsigned thread);

  // Those of all vertices when they were coloured, until they are forgotten.
  std::span<const Node> initial_bounds() const { return bound_.span(); }
  void forget_initial_bounds();

 private:
  using Marks = ChargedBuffer<Node>;  // per colour: the heaviest later neighbour of the vertex at hand; else 0

  template <typename Colour>
  void colour_all(const RemainingGraph& graph, Colour* colours, unsigned threads, Budget& budget);

  // Colours are read in random order: bytes, where these suffice, keep more of them in the cache.
  ChargedBuffer<unsigned char> narrow_;
  ChargedBuffer<Node> wide_;
  ChargedBuffer<Node> bound_;
  std::vector<Marks> marks_;  // of each thread
};

}  // namespace cliquepool
