// All heaviest cliques of one small dense graph: the search of one vertex's neighbourhood.
#pragma once

#include <algorithm>
#include <limits>

#include "pooling/depth_first_search.hpp"
#include "pooling/induced_part.hpp"
#include "pooling/local_graph.hpp"
#include "pooling/peeling.hpp"
#include "pooling/unit_branching.hpp"
#include "pooling/weighted_branching.hpp"

namespace cliquepool {

// A graph of up to a few thousand vertices, and the search for its cliques of an exact weight. Fill it first: reset,
// then add the vertices in ascending order; or restore. Keeps its memory between graphs. As in LocalGraph, vertices
// are numbered from 1.
class LocalSearch {
 public:
  // Returns the bytes that a graph of `size` vertices needs, to be charged to a budget beforehand.
  static std::int64_t bytes(Node size) {
    const std::int64_t row = static_cast<std::int64_t>(words_for(size + 1)) * 8;
    // The rows, and, each for a few twins more: the rows of the part, candidates, branches, colour classes.
    return row * size * 6 + static_cast<std::int64_t>(size) * 32;
  }

  void reset(Node size) { whole_.reset(size); }
  template <typename ForEachNeighbour>
  void add(Node v, Node weight, ForEachNeighbour&& for_each_neighbour) {
    whole_.add(v, weight, for_each_neighbour);
  }
  void remove(Node v) { whole_.remove(v); }
  template <typename WeightOf>
  void restore(std::span<const Word> rows, Word live, WeightOf&& weight_of) {
    whole_.restore(rows, live, weight_of);
  }

  // Returns an upper bound on the weight of any clique, by one greedy colouring.
  Node bound_by_colours() {
    return whole_.words == 1 ? bound_by_colours(Width<1>(1)) : bound_by_colours(Width<0>(whole_.words));
  }

  // Calls found(members) for every clique of weight exactly `target`; `members` are local vertices. Requires that no
  // clique weighs more. Returns `target` if there is such a clique, else an upper bound below it on the weight of any
  // clique.
  template <typename Found>
  Node heaviest(Node target, Pace& pace, Found&& found) {
    state_.effort.begin(kUnlimitedEffort, pace);
    return search(target, SearchGoal::all_cliques, found);
  }

  // The same for one of several threads: a search that takes long offers branches. Calls append(members, found) for
  // every clique; threads that take branches call a copy of `append` with cliques of their own. The answer is final, by
  // `with_branches`, once all branches of `shared()` have ended. Until then nothing else may be searched here but
  // branches.
  template <typename Append>
  Node heaviest(Node target, Pace& pace, FoundCliques& found, const Append& append, BranchExchange& exchange) {
    shared_ = {};
    shared_.append = [this, append](std::span<const Node> in_part, FoundCliques& to, Buffer<Node>& memory) {
      part_.map_to_whole(in_part, memory);
      append(memory.span(), to);
    };
    state_.effort.begin(kEffortBetweenOffers, pace);
    const auto report = [&](std::span<const Node> members) { append(members, found); };
    return search(target, SearchGoal::all_cliques, report, &exchange);
  }
  const SharedSearch& shared() const { return shared_; }
  Node with_branches(Node reached, Node target) const {
    if (shared_.found_any) return target;
    return std::max(reached, std::min(shared_.bound, target - 1));
  }

  // Searches a branch that this or another thread offered, and adds the cliques to `found`. Offers branches of it in
  // turn. The graph and what `heaviest` has found so far are kept.
  void search_branch(const OfferedBranch& branch, Pace& pace, FoundCliques& found, BranchExchange& exchange) {
    SharedSearch& shared = *branch.search;
    const auto report = [&](std::span<const Node> members) { shared.append(members, found, mapped_); };
    state_.effort.begin(kEffortBetweenOffers, pace);
    state_.target = shared.target;
    state_.bound = 0;
    offer_to(&exchange, &shared);
    if (shared.unit_weights) {
      cliquepool::search_branch<UnitBranching>(state_, *shared.graph, branch.start, report);
    } else {
      cliquepool::search_branch<WeightedBranching>(state_, *shared.graph, branch.start, report);
    }
    exchange.end(branch, state_.bound, state_.found_any);
  }

  // Reduces an upper bound on the weight of any clique, with an effort in proportion to that of building the graph
  // again for another search.
  Node tighten(Node bound, Pace& pace) {
    if (whole_.words == 1) return std::min(bound, bound_by_colours());
    state_.effort.begin(kMinEffort + kEffortPerWord * static_cast<std::int64_t>(whole_.rows.size()), pace);
    bound = std::min(bound, bound_by_colours());
    while (bound > 0) {
      const Node reached = search(bound, SearchGoal::one_clique, [](std::span<const Node>) {});
      if (reached == bound) break;
      bound = reached;
    }
    return bound;
  }

 private:
  static constexpr std::int64_t kUnlimitedEffort = std::numeric_limits<std::int64_t>::max() / 2;
  // Words that may be read to tighten a bound: a minimum, and more for each word of the graph's rows.
  static constexpr std::int64_t kMinEffort = 1 << 12;
  static constexpr std::int64_t kEffortPerWord = 2;
  // A weighted graph is searched as twins if that adds at most kMoreTwins vertices, and one for every kVerticesPerTwin.
  // With more, the search costs more than the better bounds save.
  static constexpr Node kVerticesPerTwin = 8;
  static constexpr Node kMoreTwins = 4;
  static constexpr Node kMinToReorder = 64;  // vertices

  template <int kWords>
  Node bound_by_colours(Width<kWords> width) {
    candidates_.resize(idx(whole_.words));
    width.copy(candidates_.data(), whole_.live());
    Colouring& colouring = state_.colouring;
    if (whole_.unit_weights()) return colouring.colour_greedily(width, whole_, candidates_.data(), whole_.size);
    return colouring.colour_weights(width, whole_, candidates_.data(), std::numeric_limits<std::int64_t>::max());
  }

  // Peels the graph, and searches what is left: in place if that is settled at the root, or in a copy that is reordered
  // or has shorter rows, if that pays. Returns as search_depth_first does. A copy is shared by `exchange`, if there is
  // one.
  template <typename Found>
  Node search(Node target, SearchGoal goal, Found&& found, BranchExchange* exchange = nullptr) {
    offer_to(nullptr, nullptr);  // an exception may have left those of the last search
    candidates_.resize(idx(whole_.words));
    const Peeled left = peel(whole_, target, candidates_.data());
    if (left.count == 0) return std::min(left.dropped_bound, target - 1);
    state_.target = target;
    state_.bound = left.dropped_bound;

    const bool as_twins = worthwhile_as_twins(left);
    if (goal == SearchGoal::all_cliques && left.count >= kMinToReorder) {
      // Most searches end at the root. For the others a good order of the vertices saves orders of magnitude.
      if (const auto settled = search_whole(SearchGoal::root_only, found)) return *settled;
      keep_candidates_in(whole_.degeneracy_order(state_.effort));
    } else if (as_twins || BitGraph::words_per_row(left.count) < whole_.words) {
      keep_candidates();
    } else {
      return *search_whole(goal, found);
    }
    part_.extract(whole_, kept_.span(), as_twins);
    return search_part(whole_.unit_weights() || as_twins, goal, found, exchange);
  }

  // Returns whether the vertices left are few and light enough to be searched as twins of weight 1, for which bounds
  // are far better.
  bool worthwhile_as_twins(const Peeled& left) const {
    return !whole_.unit_weights() && left.weight <= left.count + left.count / kVerticesPerTwin + kMoreTwins;
  }
  void keep_candidates() {
    kept_.clear();
    Width<0>(whole_.words).for_each(candidates_.data(), [&](Node v) { kept_.push_back(v); });
  }
  void keep_candidates_in(std::span<const Node> order) {
    kept_.clear();
    for (const Node v : order)
      if (test_bit(candidates_.data(), v)) kept_.push_back(v);
  }

  template <typename Found>
  std::optional<Node> search_whole(SearchGoal goal, Found&& found) {
    const Word* const candidates = candidates_.data();
    return whole_.unit_weights() ? search_depth_first<UnitBranching>(state_, whole_, candidates, goal, found)
                                 : search_depth_first<WeightedBranching>(state_, whole_, candidates, goal, found);
  }
  template <typename Found>
  Node search_part(bool unit_weights, SearchGoal goal, Found&& found, BranchExchange* exchange) {
    const BitGraph& graph = part_.graph();
    assign_first(candidates_, graph.words, graph.size);
    const Word* const candidates = candidates_.data();
    const auto found_in_part = [&](std::span<const Node> members) { found(part_.in_whole(members)); };
    if (exchange != nullptr) {
      shared_.graph = &graph;
      shared_.unit_weights = unit_weights;
      shared_.target = state_.target;
      offer_to(exchange, &shared_);
    }
    return unit_weights ? *search_depth_first<UnitBranching>(state_, graph, candidates, goal, found_in_part)
                        : *search_depth_first<WeightedBranching>(state_, graph, candidates, goal, found_in_part);
  }
  void offer_to(BranchExchange* exchange, SharedSearch* shared) {
    state_.exchange = exchange;
    state_.shared = shared;
  }

  LocalGraph whole_;
  InducedPart part_;         // what peeling leaves, where a smaller or reordered copy is worth its cost
  Buffer<Node> kept_;        // the vertices of the part, in order
  Buffer<Word> candidates_;  // the vertices to search, of the whole graph or of the part
  Buffer<Node> mapped_;      // a clique of a branch, in the whole graph of the search that it belongs to
  SearchState state_;
  SharedSearch shared_;  // the last search of which branches could be offered
};

}  // namespace cliquepool
