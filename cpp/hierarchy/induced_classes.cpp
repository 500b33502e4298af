#include "hierarchy/induced_classes.hpp"

#include <algorithm>
#include <tuple>

#include "base/sorting.hpp"
#include "hierarchy/stack_set.hpp"

namespace cliquepool {

InducedClasses::InducedClasses(const ImpliedRows& graph, std::span<const Node> weights, unsigned threads,
                               Budget& budget)
    : budget_(budget),
      graph_(graph),
      weights_(weights),
      threads_(threads),
      shared_(std::make_shared<Shared>(budget)),
      chosen_classes_(budget),
      chosen_weights_(budget),
      number_(budget, weights.size()) {
  edges_.bind(budget);
  std::apply([&](auto&... buffers) { bind_all(budget, buffers...); }, shared_->trie.buffers());
  shared_->trie.build(graph.below, graph.members, threads, budget);
  shared_->slot.resize(weights.size());
  for (Node slot = 0; slot < num_classes(); ++slot) shared_->slot[idx(class_of(slot))] = slot;
}

InducedClasses::InducedClasses(InducedClasses& other)
    : budget_(other.budget_),
      graph_(other.graph_),
      weights_(other.weights_),
      threads_(other.threads_),
      shared_(other.shared_),
      chosen_classes_(budget_),
      chosen_weights_(budget_),
      number_(budget_, weights_.size()) {
  edges_.bind(budget_);
}

InducedClasses::~InducedClasses() { edges_.unbind(); }

void InducedClasses::choose(std::span<const Node> slots) {
  Pace pace(budget_);
  slots_ = slots;
  chosen_classes_.clear();
  for (const Node slot : slots) chosen_classes_.push_back(class_of(slot));
  sort_in_pieces(chosen_classes_.begin(), chosen_classes_.end(), pace);
  chosen_weights_.clear();
  Node number = 0;
  for (const Node c : chosen_classes_.span()) {
    chosen_weights_.push_back(weight_of(c));
    number_[idx(c)] = number++;
  }
  edges_.begin(graph_.below, shared_->trie, slots_, number_.span(), threads_);
}

void InducedClasses::neighbours(Node slot, ChargedBuffer<Node>& numbers) {
  numbers.clear();
  edges_.list_row(slot, numbers);
  numbers.truncate(
      static_cast<std::size_t>(std::remove(numbers.begin(), numbers.end(), number(slot)) - numbers.begin()));
}

void InducedClasses::store(Graph& graph) { edges_.join(graph); }

void InducedClasses::discard(Graph& graph) {
  budget_.release_bytes(static_cast<std::int64_t>(graph.offsets.size() * sizeof(Offset)));
  budget_.release_bytes(static_cast<std::int64_t>(graph.neighbours.size() * sizeof(Node)));
  graph = Graph();
}

Offset InducedClasses::heaviest_known_clique() {
  StackSet met;
  const ChargeScope scope(budget_, met);
  met.reset(size());
  Pace pace(budget_);
  struct Extent {
    std::size_t met;
    Offset weight;
  };
  ChargedBuffer<Extent> before(budget_);
  const RaggedView touching = edges_.touching();
  Offset weight = 0;
  Offset heaviest = 0;
  shared_->trie.walk(
      slots_,
      [&](Node v) {
        before.push_back({met.size(), weight});
        for (const Node number : touching[v])
          if (met.insert(number)) weight += chosen_weights_[idx(number)];
        pace.step(touching[v].size());
      },
      [&] {
        met.truncate(before.back().met);
        weight = before.back().weight;
        before.pop_back();
      },
      [&](Node) { heaviest = std::max(heaviest, weight); });
  return heaviest;
}

}  // namespace cliquepool
