// The quotient graph between the twin classes of pools.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "hierarchy/ascending_row.hpp"
#include "hierarchy/closed_cover.hpp"
#include "hierarchy/level_rows.hpp"
#include "hierarchy/pool_trie.hpp"

namespace cliquepool {

// Joins two classes when their representatives are adjacent: twins have the same neighbours. The threads share the
// representatives by ranges of the trie; no row depends on another one, so that the result is the same for any number
// of threads.
//
// Keeps its memory between graphs, bound to the budget of each (see charged_buffer.hpp). First `begin`, then `count`,
// `join` and `list_row` in any order and number.
class ClassEdges {
 public:
  void bind(Budget& budget);
  void unbind();

  // `representatives` are the slots of one pool of each class, ascending; `class_of_pool` has its class, a number from
  // 0. Other pools of the trie, and their classes, are ignored. All of them must live as long as they are used.
  void begin(const LevelRows& below, const PoolTrie& trie, std::span<const Node> representatives,
             std::span<const Node> class_of_pool, unsigned threads);

  // Counts the neighbours of all classes without writing them down: the exact size of the quotient, before it is
  // joined. Also sums up the weights of each class and its neighbours, if the classes have some. Returns the number of
  // entries of all rows.
  Offset count(std::span<const Node> weights = {});
  std::span<const Node> degrees() const { return row_size_.span(); }
  std::span<const Offset> closed_weights() const { return closed_weight_.span(); }

  // Writes the quotient. Takes 4 bytes for each entry, the result, and little more.
  void join(Graph& quotient);

  // Writes the rows of the quotient, after `count`, to `neighbours`: that of class c from offsets[c] on. Takes no
  // memory for rows, and may write to a mapped file.
  void join_into(std::span<const Offset> offsets, std::span<Node> neighbours);

  // Appends the classes adjacent to the one of a slot, and that class itself, in no particular order. Takes the time of
  // that row alone, but for the first call after another function.
  void list_row(Node slot, ChargedBuffer<Node>& row);

  // The members of the classes transposed: for each vertex below, the classes whose representatives contain it.
  RaggedView touching() const { return {touching_start_.span(), touching_.span()}; }

 private:
  // The rows of a range of classes, in the order in which a thread finds them.
  using Bucket = ChargedBuffer<Node>;
  // What a thread needs.
  struct Workspace {
    ReachedClasses reached;
    AscendingRow ascending;
    ChargedBuffer<Node> row;
    std::vector<Bucket> buckets;
  };

  std::size_t num_classes() const { return representatives_.size(); }
  void list_touching();
  template <typename Push, typename Pop, typename Visit>
  void walk(Workspace& workspace, std::span<const Node> slots, Pace& pace, Push&& push, Pop&& pop, Visit&& visit);
  template <typename Work>
  void share_out_slots(Work&& work);
  template <typename Visit>
  void visit_rows(Visit&& visit);
  void collect_rows(std::size_t classes_per_bucket);
  void gather_bucket(std::size_t bucket, std::size_t classes_per_bucket, Graph& quotient);

  Budget* budget_ = nullptr;
  LevelRows below_{GraphView{}};
  const PoolTrie* trie_ = nullptr;
  std::span<const Node> representatives_;
  std::span<const Node> class_of_pool_;
  unsigned threads_ = 1;
  bool ready_for_rows_ = false;  // the first workspace is empty and of the right size
  std::vector<Workspace> of_thread_;
  ChargedBuffer<Offset> touching_start_;  // of each vertex in `touching_`, + 1
  ChargedBuffer<Node> touching_;
  ChargedBuffer<Node> row_size_;  // of each class
  ChargedBuffer<Offset> closed_weight_;
  ChargedBuffer<Offset> row_start_;     // of each class in its bucket
  ChargedBuffer<unsigned> row_thread_;  // the thread whose bucket it is in
};

}  // namespace cliquepool
