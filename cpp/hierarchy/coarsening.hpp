// From pools to the coarse graph between them, kept by its twin classes and never written down in full.
#pragma once

#include "base/budget.hpp"
#include "base/types.hpp"
#include "graph/twins.hpp"

namespace cliquepool {

// Two pools are joined when a node of one is adjacent to a node of the other: when one meets N[P] of the other.
// Pools with equal N[P] are twins. Keeps its memory between graphs.
//
// Neighbourhoods are built along a trie: pools listed by their members, highest degree first, and sorted, share
// prefixes, and what a prefix covers is worked out once. Around a hub of a hundred thousand pools, each pool then
// costs only what its other members bring.
class Coarsener {
 public:
  explicit Coarsener(std::uint64_t hash_mask = ~std::uint64_t{0}) : hashes_(hash_mask) {}

  // `graph` is the quotient of the fine level, `pools` lists of its vertices that cover it, each a clique.
  void run(GraphView graph, RaggedView pools, Budget& budget, TwinLevel& coarse);

 private:
  bool run_in_words(GraphView graph, RaggedView pools, TwinLevel& coarse);
  void sort_into_trie(GraphView graph, RaggedView pools, Pace& pace);
  void hash_neighbourhoods(GraphView graph, RaggedView pools, Pace& pace);
  void group_twins(GraphView graph, RaggedView pools, Pace& pace, TwinLevel& coarse);
  void split_group(GraphView graph, RaggedView pools, std::span<Node> group, Pace& pace);
  bool all_within(GraphView graph, RaggedView pools, std::span<const Node> group, Pace& pace);
  void join_classes(GraphView graph, Budget& budget, Pace& pace, TwinLevel& coarse);
  template <typename ClassAt>
  void list_touching(Node num_vertices, ClassAt&& class_at, Pace& pace);

  // The pool at place `i` of the trie, as members by falling degree.
  std::span<const Node> path(Offset i) const {
    const Offset pool = trie_order_[idx(i)];
    return {paths_.data() + path_start_[idx(pool)], idx(path_start_[idx(pool) + 1] - path_start_[idx(pool)])};
  }
  template <typename Add, typename Drop, typename Visit>
  void walk(std::span<const Node> places, Add&& add, Drop&& drop, Visit&& visit);

  NodeHashes hashes_;
  Buffer<Node> by_degree_;  // place of each vertex in the order of falling degree
  Buffer<Node> vertex_at_;  // its inverse
  Buffer<Node> count_;
  Buffer<Node> paths_;  // members of each pool as places by degree, ascending
  Buffer<Offset> path_start_;
  Buffer<Node> trie_order_;  // pools by their paths
  Buffer<std::uint64_t> pool_hash_;
  Buffer<Offset> pool_reach_;  // |N[P]|
  Buffer<Node> by_hash_;
  Buffer<Node> group_of_;  // first pool of the twin group of each pool
  Buffer<unsigned char> covered_;
  Buffer<Node> cover_;            // the covered vertices, in the order they were covered
  Buffer<Node> representatives_;  // places in the trie of one pool for each class
  Buffer<Offset> touching_start_;
  Buffer<Node> touching_;  // classes whose representative holds a vertex
  Buffer<unsigned char> reached_;
  Buffer<Node> reach_;
  Buffer<Offset> row_start_;
  Buffer<Node> row_size_;
  Buffer<Node> rows_;
  Buffer<Offset> next_;
};

}  // namespace cliquepool
