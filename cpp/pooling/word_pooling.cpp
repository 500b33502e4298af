#include "pooling/word_pooling.hpp"

#include <algorithm>

#include "pooling/enumeration_effort.hpp"
#include "pooling/pairs_and_singles.hpp"

namespace cliquepool {

bool WordPooling::pool(PoolingRun& run) {
  const ChargeScope scope(run.budget(), neighbourhoods_, leaders_, bound_);
  if (!neighbourhoods_.fill(run.graph(), run.pace())) return false;
  const auto order = neighbourhoods_.in_order() ? PoolingRun::Order::canonical : PoolingRun::Order::any;
  effort_ = enumeration_effort(run.graph().graph);
  Node weight = bound_leaders(run);
  while (weight > 0 && run.wants_more() && !gave_up()) {
    weight = find_cliques(weight, run);
    if (gave_up()) break;
    run.found().charge(run.budget());
    run.close_round(order);
  }
  if (gave_up()) run.found().forget();  // the round is incomplete
  return !gave_up();
}

// Returns the highest bound.
Node WordPooling::bound_leaders(PoolingRun& run) {
  const Node n = run.graph().num_nodes();
  bound_.resize(idx(n));
  leaders_.clear();
  Node highest = 0;
  for (Node v = 0; v < n && !gave_up(); ++v) {
    const Node bound = max_clique_weight_from(v, neighbourhoods_.all_later(v), run);
    bound_[idx(v)] = bound;
    if (bound <= kPairWeight) continue;
    leaders_.push_back(v);
    highest = std::max(highest, bound);
  }
  return highest;
}

// Finds all cliques of this weight, the highest bound. Lowers the bounds of leaders that have none, and drops those
// that have one or are pooled. Returns the highest bound that is left.
Node WordPooling::find_cliques(Node weight, PoolingRun& run) {
  Ragged& found = run.found().lists;
  const auto live = run.live();
  Node highest = 0;
  Node* keep = leaders_.begin();
  for (const Node v : leaders_.span()) {
    run.pace().step();
    if (!live[idx(v)]) continue;
    Node& bound = bound_[idx(v)];
    if (bound == weight) {
      const std::int64_t effort_before = effort_;
      const Offset found_before = found.size();
      const Word candidates = neighbourhoods_.live_later(v, live.data());
      neighbourhoods_.list_cliques(v, candidates, weight - run.graph().weight(v), found, effort_);
      run.pace().step(idx(effort_before - effort_));
      if (found.size() > found_before) continue;
      bound = max_clique_weight_from(v, candidates, run);
      assert(bound < weight || gave_up());
      if (bound <= kPairWeight) continue;
    }
    highest = std::max(highest, bound);
    *keep++ = v;
  }
  leaders_.resize(static_cast<std::size_t>(keep - leaders_.begin()));
  return highest;
}

// The weight of the heaviest clique of the leader and candidates, or kPairWeight if all are lighter.
Node WordPooling::max_clique_weight_from(Node leader, Word candidates, PoolingRun& run) {
  const Node weight = run.graph().weight(leader);
  const std::int64_t before = effort_;
  const Node heaviest =
      weight + neighbourhoods_.max_clique_weight(leader, candidates, std::max(kPairWeight - weight, 0), effort_);
  run.pace().step(idx(before - effort_) + 1);
  return heaviest;
}

}  // namespace cliquepool
