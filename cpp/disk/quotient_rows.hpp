// The graph between twin classes, for graphs that are larger than memory.
#pragma once

#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Writes the quotient to arrays of the caller, which may be mapped from files: first its offsets, then its neighbours.
// Each reads the rows of the graph once, in their order. Takes a byte a node of memory. The classes are numbered in the
// order of their smallest nodes.
class QuotientRows {
 public:
  QuotientRows(GraphView graph, std::span<const Node> classes, Budget& budget);

  // num_classes + 1 of them.
  void write_offsets(std::span<Offset> offsets);
  void write_neighbours(std::span<Node> neighbours);

 private:
  template <typename Visit>
  void for_each_representative(Visit&& visit);

  GraphView graph_;
  std::span<const Node> classes_;
  Budget& budget_;
  ChargedBuffer<unsigned char> is_smallest_;  // whether each node is the smallest of its class
};

}  // namespace cliquepool
