// The graph between some of the classes of an implied level.
#pragma once

#include <memory>
#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "hierarchy/class_edges.hpp"
#include "hierarchy/level_rows.hpp"
#include "hierarchy/pool_trie.hpp"

namespace cliquepool {

// Vertices are given by their slots: positions in a trie of the members of all classes. Within the chosen ones they are
// numbered from 0 in the order of their classes, so that canonical orders agree.
class InducedClasses {
 public:
  InducedClasses(const ImpliedRows& graph, std::span<const Node> weights, unsigned threads, Budget& budget);
  // Chooses classes of the same level independently of `other`.
  explicit InducedClasses(InducedClasses& other);
  InducedClasses(const InducedClasses&) = delete;
  InducedClasses& operator=(const InducedClasses&) = delete;
  ~InducedClasses();

  Node num_classes() const { return static_cast<Node>(shared_->trie.size()); }
  Node class_of(Node slot) const { return shared_->trie.pool(slot); }
  Node slot_of(Node c) const { return shared_->slot[idx(c)]; }
  Node weight_of(Node c) const { return weights_[idx(c)]; }

  // Chooses the classes of these slots, ascending, which must live as long as they are used.
  void choose(std::span<const Node> slots);
  std::size_t size() const { return slots_.size(); }

  // Of the chosen ones: counts degrees and closed weights, and returns the number of entries of all rows.
  Offset count() { return edges_.count(chosen_weights_.span()); }
  // After `count`, for a chosen slot.
  Node degree(Node slot) const { return edges_.degrees()[idx(number(slot))]; }
  Offset closed_weight(Node slot) const { return edges_.closed_weights()[idx(number(slot))]; }

  // Writes the numbers of the chosen classes adjacent to the one of a chosen slot, in no particular order.
  void neighbours(Node slot, ChargedBuffer<Node>& numbers);

  // Writes the graph between the chosen classes. The memory stays charged to the budget; `discard` frees both.
  void store(Graph& graph);
  void discard(Graph& graph);
  std::span<const Node> chosen_weights() const { return chosen_weights_.span(); }
  Node class_at(Node number) const { return chosen_classes_[idx(number)]; }
  Node number(Node slot) const { return number_[idx(class_of(slot))]; }

  // The weight of a clique of chosen classes: the heaviest one of those that meet a common pool of the level below.
  Offset heaviest_known_clique();

 private:
  struct Shared {
    explicit Shared(Budget& budget) : slot(budget) {}
    PoolTrie trie;
    ChargedBuffer<Node> slot;  // of each class
  };

  Budget& budget_;
  ImpliedRows graph_;
  std::span<const Node> weights_;
  unsigned threads_;
  std::shared_ptr<Shared> shared_;
  ClassEdges edges_;
  std::span<const Node> slots_;
  ChargedBuffer<Node> chosen_classes_;  // ascending
  ChargedBuffer<Node> chosen_weights_;
  ChargedBuffer<Node> number_;  // of each chosen class
};

}  // namespace cliquepool
