#include "pooling/word_pooling.hpp"

#include <algorithm>
#include <numeric>

#include "base/atomics.hpp"
#include "base/parallel.hpp"
#include "pooling/enumeration_effort.hpp"
#include "pooling/pairs_and_singles.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kLeadersPerRange = 1024;
constexpr std::size_t kLeadersWorthThreads = 1 << 13;  // for fewer, starting threads costs more

}  // namespace

bool WordPooling::pool(PoolingRun& run) {
  const ChargeScope scope(run.budget(), neighbourhoods_, leaders_, bound_, ranges_, found_);
  if (!neighbourhoods_.fill(run.graph(), run.threads(), run.budget())) return false;
  effort_ = enumeration_effort(run.graph().graph);
  Node weight = bound_leaders(run);
  while (weight > 0 && run.wants_more() && !gave_up()) {
    weight = find_cliques(weight, run);
    if (gave_up()) break;
    for (unsigned thread = 0; thread < run.threads(); ++thread) run.found(thread).charge(run.budget());
    if (neighbourhoods_.in_order()) {
      run.close_round(found_.span());
    } else {
      run.close_round();
    }
  }
  if (!gave_up()) return true;
  for (unsigned thread = 0; thread < run.threads(); ++thread) run.found(thread).forget();  // the round is incomplete
  return false;
}

// Returns the highest bound.
Node WordPooling::bound_leaders(PoolingRun& run) {
  const Node n = run.graph().num_nodes();
  bound_.resize(idx(n));
  leaders_.resize(idx(n));
  std::iota(leaders_.begin(), leaders_.end(), 0);
  return update_leaders(run, [&](Node v, unsigned, std::int64_t& effort) {
    return max_clique_weight_from(v, neighbourhoods_.all_later(v), run, effort);
  });
}

// Finds all cliques of this weight, the highest bound. Lowers the bounds of leaders that have none, and drops those
// that have one or are pooled. Returns the highest bound that is left.
Node WordPooling::find_cliques(Node weight, PoolingRun& run) {
  const auto live = run.live();
  return update_leaders(run, [&](Node v, unsigned thread, std::int64_t& effort) {
    if (!live[idx(v)]) return 0;
    if (bound_[idx(v)] < weight) return Node{bound_[idx(v)]};
    Ragged& found = run.found(thread).lists;
    const Offset found_before = found.size();
    const Word candidates = neighbourhoods_.live_later(v, live.data());
    neighbourhoods_.list_cliques(v, candidates, weight - run.graph().weight(v), found, effort);
    if (found.size() > found_before) return 0;
    const Node bound = max_clique_weight_from(v, candidates, run, effort);
    assert(bound < weight || effort < 0);
    return bound;
  });
}

// Computes the bound of each leader, as bound_of(leader, thread, effort), and keeps those with a bound above
// kPairWeight. Returns the highest. Threads take ranges of leaders, and remember which cliques they found in each.
//
// A thread counts the effort of a range from what was left when the range began. So it depends on the graph alone
// whether less than nothing is left in the end, although not how much.
template <typename BoundOf>
Node WordPooling::update_leaders(PoolingRun& run, BoundOf&& bound_of) {
  const unsigned threads = leaders_.size() < kLeadersWorthThreads ? 1 : run.threads();
  const std::size_t num_ranges = (leaders_.size() + kLeadersPerRange - 1) / kLeadersPerRange;
  ranges_.assign(num_ranges, {});
  found_.assign(num_ranges, {});
  share_ranges(threads, leaders_.size(), kLeadersPerRange, run.budget(),
               [&](unsigned thread, std::size_t first, std::size_t last) {
                 Pace pace(run.budget());
                 const std::int64_t effort_before = atomic_load(effort_);
                 std::int64_t effort = effort_before;
                 const Offset found_before = run.found(thread).lists.size();
                 LeaderRange range;
                 for (std::size_t i = first; i < last && effort >= 0; ++i) {
                   const Node v = leaders_[i];
                   const std::int64_t before = effort;
                   const Node bound = bound_of(v, thread, effort);
                   pace.step(idx(before - effort) + 1);
                   if (bound <= kPairWeight) continue;
                   bound_[idx(v)] = static_cast<unsigned char>(bound);
                   leaders_[first + range.kept++] = v;
                   range.highest = std::max(range.highest, bound);
                 }
                 atomic_add(effort_, effort - effort_before);
                 ranges_[first / kLeadersPerRange] = range;
                 found_[first / kLeadersPerRange] = {thread, found_before, run.found(thread).lists.size()};
               });
  Node highest = 0;
  Node* end = leaders_.begin();
  for (std::size_t i = 0; i < num_ranges; ++i) {
    const Node* const first = leaders_.data() + i * kLeadersPerRange;
    end = std::copy(first, first + ranges_[i].kept, end);
    highest = std::max(highest, ranges_[i].highest);
  }
  leaders_.resize(static_cast<std::size_t>(end - leaders_.begin()));
  return highest;
}

// The weight of the heaviest clique of the leader and candidates, or kPairWeight if all are lighter.
Node WordPooling::max_clique_weight_from(Node leader, Word candidates, PoolingRun& run, std::int64_t& effort) const {
  const Node weight = run.graph().weight(leader);
  return weight + neighbourhoods_.max_clique_weight(leader, candidates, std::max(kPairWeight - weight, 0), effort);
}

}  // namespace cliquepool
