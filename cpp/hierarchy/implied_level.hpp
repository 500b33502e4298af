// The memory of a level whose rows are implied by the level below.
#pragma once

#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "hierarchy/class_edges.hpp"
#include "hierarchy/level_rows.hpp"
#include "hierarchy/pool_trie.hpp"

namespace cliquepool {

// Never moves: `rows` points into it.
class ImpliedLevel {
 public:
  // Copies the members of the representatives, and what `edges` has counted: its lists, degrees and closed weights.
  ImpliedLevel(const LevelRows& below, const PoolTrie& trie, std::span<const Node> representatives,
               std::span<const Node> class_of_pool, const ClassEdges& edges, Budget& budget);
  ImpliedLevel(const ImpliedLevel&) = delete;
  ImpliedLevel& operator=(const ImpliedLevel&) = delete;

  const ImpliedRows& rows() const { return rows_; }
  bool has_edges() const;
  // The sum of the weights of each class and its neighbours.
  std::span<const Offset> closed_weights() const { return closed_weights_.span(); }

 private:
  ChargedBuffer<Offset> member_start_;
  ChargedBuffer<Node> members_;
  ChargedBuffer<Offset> touching_start_;
  ChargedBuffer<Node> touching_;
  ChargedBuffer<Node> degrees_;
  ChargedBuffer<Offset> closed_weights_;
  ImpliedRows rows_;
};

}  // namespace cliquepool
