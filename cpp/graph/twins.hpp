// Twin classes: nodes with the same closed neighbourhood, stored once. With C the 0/1 matrix of nodes and classes and Q
// the quotient's adjacency with a unit diagonal, A + I = C Q Cᵀ.
#pragma once

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// A graph as twin classes, numbered in the order of their smallest nodes.
struct TwinLevel {
  Buffer<Node> classes;  // class of each node
  Buffer<Node> sizes;    // number of nodes of each class
  Graph quotient;        // graph between classes; TwinFinder leaves it empty if the graph is twin-free

  bool twin_free() const { return sizes.size() == classes.size(); }
  GraphView quotient_or(GraphView graph) const { return twin_free() ? graph : quotient.view(); }
};

// One pseudo-random word for each node; the hash of a node set is the sum over its members. The words depend on nothing
// but the node, so they are kept between graphs, and are not charged to budgets.
class NodeHashes {
 public:
  explicit NodeHashes(std::uint64_t mask = ~std::uint64_t{0}) : mask_(mask) {}
  // Computes the words of nodes 0..num_nodes-1 that are still missing.
  void extend(Node num_nodes, Pace& pace);
  std::uint64_t operator[](Node v) const { return words_[idx(v)]; }

 private:
  std::uint64_t mask_;  // tests narrow it to provoke collisions
  Buffer<std::uint64_t> words_;
};

// Finds the twin classes of graphs, one after another in the same memory.
class TwinFinder {
 public:
  explicit TwinFinder(std::uint64_t hash_mask = ~std::uint64_t{0}) : hash_mask_(hash_mask) {}
  // Uses several threads if the graph is worth them; the result is the same.
  void run(GraphView graph, Budget& budget, TwinLevel& level, unsigned threads = 1);
  // Finds the classes and their sizes, and leaves the quotient empty.
  void find_classes(GraphView graph, Budget& budget, TwinLevel& level, unsigned threads = 1);

 private:
  void find_in_words(GraphView graph, TwinLevel& level);
  void find_by_hashes(GraphView graph, unsigned threads, Budget& budget, TwinLevel& level);
  void hash_neighbourhoods(GraphView graph, unsigned threads, Budget& budget);
  void prefetch_hashes(GraphView graph, Node v) const;
  Node first_twin(GraphView graph, Node v, Pace& pace) const;
  void assign_class(Node v, Node twin, TwinLevel& level);
  void number_classes(unsigned threads, Budget& budget, TwinLevel& level);

  std::uint64_t hash_mask_;                   // tests narrow it to provoke collisions
  ChargedBuffer<std::uint32_t> closed_hash_;  // hash of N[v]: half of its bits, of which more stay in the cache
  Buffer<Node> representative_;               // smallest node of each class
};

// Returns the smallest node of each class, ascending.
Buffer<Node> representatives_of(std::span<const Node> classes, std::size_t num_classes);

// Builds the graph induced by one representative of each class. `representatives` are the smallest nodes of the
// classes, ascending; `classes` has the class of every node.
void build_quotient(GraphView graph, std::span<const Node> classes, std::span<const Node> representatives,
                    unsigned threads, Budget& budget, Graph& quotient);

// Returns the number of edges of the expanded graph.
std::int64_t count_expanded_edges(std::span<const Node> sizes, GraphView quotient);

// Builds the expanded graph: one node for each node of each class.
Graph expand(std::span<const Node> classes, std::span<const Node> sizes, GraphView quotient, Budget& budget);

// Replaces each class in `lists` by its nodes; each resulting list is ascending.
Ragged expand_members(RaggedView lists, std::span<const Node> classes, std::span<const Node> sizes, Budget& budget);

// The inverse, in place: replaces the nodes in each list by their classes. Lists are ascending, and have all nodes of a
// class or none.
void merge_members(Ragged& lists, std::span<const Node> classes, unsigned threads, Budget& budget);

}  // namespace cliquepool
