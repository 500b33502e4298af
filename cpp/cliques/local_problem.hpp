// The part of the listing that belongs to one node v: the cliques whose first member in the degeneracy order is v.
// The other members are later neighbours of v; the earlier neighbours of v tell which of these cliques are not maximal.
#pragma once

#include <cstddef>
#include <span>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool::listing {

// The nodes behind the local ids of a search.
struct NodeTable {
  const Node* nodes;                 // by local id, ascending; a multiple of kWordBits of them can be read
  std::span<const Node> unlabelled;  // members of every clique that have no local id, ascending
};

// The maximal cliques that hold v and otherwise only candidates, as a problem on local ids: 0..size-1 stand for v and
// its later neighbours, ascending. An excluded node, which can only show that a clique is not maximal, is kept as its
// row: the set of candidates adjacent to it, which are some, but not all.
struct LocalProblem {
  explicit LocalProblem(Budget& budget) : nodes(budget), candidates(budget), rows(budget), excluded(budget) {}

  int size = 0;
  int words = 0;  // of a set of local ids
  int self = 0;   // the local id of v
  ChargedBuffer<Node> nodes;
  ChargedBuffer<Word> candidates;
  ChargedBuffer<Word> rows;  // of each candidate: itself and the candidates adjacent to it
  ChargedBuffer<Word> excluded;

  NodeTable table() const { return {nodes.data(), {}}; }
  Word* row(int i) { return rows.data() + idx(i) * idx(words); }
  const Word* row(int i) const { return rows.data() + idx(i) * idx(words); }
  std::size_t num_excluded() const { return excluded.size() / idx(words); }
  const Word* excluded_row(std::size_t x) const { return excluded.data() + x * idx(words); }
};

}  // namespace cliquepool::listing
