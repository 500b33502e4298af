// The state of one clique search, shared by the search loop and the branching rules.
#pragma once

#include <algorithm>

#include "pooling/bit_graph.hpp"
#include "pooling/branch_exchange.hpp"
#include "pooling/colouring.hpp"
#include "pooling/complement_matching.hpp"
#include "pooling/effort.hpp"
#include "pooling/search_stack.hpp"

namespace cliquepool {

struct SearchState {
  const BitGraph* graph = nullptr;
  SearchStack stack;
  Effort effort;
  Colouring colouring;
  ComplementMatching matching;
  Node target = 0;  // weight of the cliques searched; no clique weighs more
  // Upper bound on the weight of cliques in the parts of the search that ended. At the end of a search that found no
  // clique of weight `target`, an upper bound on all.
  Node bound = 0;
  bool found_any = false;
  // Where branches are offered to other threads each time that the effort is spent; null if they are not.
  BranchExchange* exchange = nullptr;
  SharedSearch* shared = nullptr;

  // The weight of the chosen vertices.
  Node chosen_weight() const { return target - stack.need(); }
  void raise_bound(Node weight) { bound = std::max(bound, weight); }

  // Calls found(members) with the chosen vertices.
  template <typename Found>
  void report(Found&& found) {
    found_any = true;
    found(std::span<const Node>(stack.chosen().span()));
  }
  template <typename Found>
  void report_with(Node v, Found&& found) {
    stack.chosen().push_back(v);
    report(found);
    stack.chosen().pop_back();
  }
};

}  // namespace cliquepool
