// Twin classes: nodes with the same closed neighbourhood, kept once (SPEC: A + I = C Q Cᵀ).
#pragma once

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// A level of a hierarchy by its twin classes, numbered by their smallest node.
struct TwinLevel {
  Buffer<Node> classes;  // of each node
  Buffer<Node> sizes;    // of each class: how many nodes
  Graph quotient;        // between classes; of a twin-free graph left empty, the graph itself serves

  bool twin_free() const { return sizes.size() == classes.size(); }
  GraphView quotient_or(GraphView graph) const { return twin_free() ? graph : quotient.view(); }
};

// One pseudo-random word for each node: a set's hash is the sum over its members. Grows on demand.
class NodeHashes {
 public:
  explicit NodeHashes(std::uint64_t mask = ~std::uint64_t{0}) : mask_(mask) {}
  void cover(Node num_nodes, Pace& pace);
  std::uint64_t operator[](Node v) const { return words_[idx(v)]; }

 private:
  std::uint64_t mask_;  // tests narrow it to make sums meet
  Buffer<std::uint64_t> words_;
};

// Keeps its memory between graphs.
class TwinFinder {
 public:
  explicit TwinFinder(std::uint64_t hash_mask = ~std::uint64_t{0}) : hashes_(hash_mask) {}
  void run(GraphView graph, Budget& budget, TwinLevel& level);

 private:
  void find_in_words(GraphView graph, TwinLevel& level);
  void find_by_hashes(GraphView graph, Budget& budget, TwinLevel& level);
  void settle(Node v, Node twin, TwinLevel& level);

  NodeHashes hashes_;
  Buffer<std::uint64_t> closed_hash_;
  Buffer<Node> representative_;  // smallest node of each class
};

// The graph between the first nodes of each class. `representatives` ascending, `classes` of every node.
void build_quotient(GraphView graph, std::span<const Node> classes, std::span<const Node> representatives,
                    Budget& budget, Graph& quotient);

// Number of edges of the expanded graph.
std::int64_t count_expanded_edges(std::span<const Node> sizes, GraphView quotient);

// The expanded graph itself, charged to the budget before it is made.
Graph expand(std::span<const Node> classes, std::span<const Node> sizes, GraphView quotient, Budget& budget);

// Lists of classes as lists of nodes, ascending.
Ragged expand_members(RaggedView lists, std::span<const Node> classes, std::span<const Node> sizes, Budget& budget);

}  // namespace cliquepool
