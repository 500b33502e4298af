// Builds the local problem of one node after the other.
#pragma once

#include <cstdint>
#include <span>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "cliques/local_problem.hpp"
#include "graph/oriented_graph.hpp"

namespace cliquepool::listing {

// Keeps its memory between nodes. One per thread.
class LocalProblemBuilder {
 public:
  LocalProblemBuilder(GraphView graph, const OrientedGraph<Node>& oriented, Budget& budget, Pace& pace);

  // False if no clique whose first member is v is maximal. v must have later neighbours.
  bool build(Node v, LocalProblem& problem);

 private:
  void label_nodes(Node v, int words, LocalProblem& problem);
  std::span<const Node> earlier_neighbours(Node v, const LocalProblem& problem);

  template <int kWords>
  bool build_narrow(Node v, LocalProblem& problem);
  template <int kWords>
  Bitset<kWords> labelled(std::span<const Node> nodes) const;
  template <int kWords>
  bool exclude_narrow(Node v, LocalProblem& problem);
  template <int kWords>
  void connect_narrow(LocalProblem& problem) const;

  bool build_wide(Node v, LocalProblem& problem);
  bool exclude_wide(Node v, LocalProblem& problem);
  void connect_wide(LocalProblem& problem);

  GraphView graph_;
  const OrientedGraph<Node>* oriented_;
  Pace* pace_;
  // The local id of each node of the problem but v; all others have none. Bytes stay in the cache, but hold few ids.
  ChargedBuffer<std::uint8_t> narrow_id_;
  ChargedBuffer<Node> wide_id_;  // empty if there is no node with so many later neighbours
  ChargedBuffer<Node> earlier_;
};

}  // namespace cliquepool::listing
