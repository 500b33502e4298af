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
      slot_(budget, weights.size()),
      chosen_classes_(budget),
      chosen_weights_(budget),
      number_(budget, weights.size()) {
  std::apply([&](auto&... buffers) { bind_all(budget, buffers...); }, trie_.buffers());
  edges_.bind(budget);
  Pace pace(budget);
  trie_.build(graph.below, graph.members, pace);
  for (Node slot = 0; slot < num_classes(); ++slot) slot_[idx(class_of(slot))] = slot;
}

InducedClasses::~InducedClasses() {
  edges_.unbind();
  std::apply([](auto&... buffers) { unbind_all(buffers...); }, trie_.buffers());
}

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
  edges_.begin(graph_.below, trie_, slots_, number_.span(), threads_);
}

void InducedClasses::neighbours(Node slot, ChargedBuffer<Node>& slots) {
  slots.clear();
  for (const Node number : edges_.list_row(slot))
    if (const Node other = slot_of(class_at(number)); other != slot) slots.push_back(other);
  Pace pace(budget_);
  sort_in_pieces(slots.begin(), slots.end(), pace);
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
  trie_.walk(
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
