// The quotient graph between the twin classes of pools.
#pragma once

#include <span>
#include <tuple>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "graph/twins.hpp"
#include "hierarchy/pool_trie.hpp"
#include "hierarchy/stack_set.hpp"

namespace cliquepool {

// Joins two classes when their representatives are adjacent: twins have the same neighbours.
class ClassEdges {
 public:
  // To bind to a budget.
  auto buffers() {
    return std::tuple_cat(covered_.buffers(), reached_.buffers(),
                          std::tie(touching_start_, touching_, row_start_, row_size_, rows_, next_));
  }

  // `representatives` are the slots of one pool of each class, ascending. Writes coarse.quotient; coarse.classes and
  // coarse.sizes are known.
  void build(GraphView graph, const PoolTrie& trie, std::span<const Node> representatives, Budget& budget,
             TwinLevel& coarse);

 private:
  void list_touching(Node num_vertices, const PoolTrie& trie, std::span<const Node> representatives,
                     std::span<const Node> classes, Pace& pace);
  void collect_rows(GraphView graph, const PoolTrie& trie, std::span<const Node> representatives,
                    std::span<const Node> classes, Budget& budget);
  void sort_rows(Budget& budget, Graph& quotient);

  StackSet covered_;                      // N of the current path
  StackSet reached_;                      // the classes whose representatives meet it
  ChargedBuffer<Offset> touching_start_;  // of each vertex in `touching_`, + 1
  ChargedBuffer<Node> touching_;          // the classes whose representatives contain the vertex
  ChargedBuffer<Offset> row_start_;       // of each class in `rows_`
  ChargedBuffer<Node> row_size_;
  ChargedBuffer<Node> rows_;  // the neighbours of each class, not sorted
  ChargedBuffer<Offset> next_;
};

}  // namespace cliquepool
