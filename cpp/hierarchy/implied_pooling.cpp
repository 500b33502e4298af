#include "hierarchy/implied_pooling.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "base/charged_buffer.hpp"
#include "base/sorting.hpp"
#include "hierarchy/induced_classes.hpp"

namespace cliquepool {

namespace {

using Slots = ChargedBuffer<Node>;

constexpr int kMostPeelings = 16;

// The heaviest cliques found so far in a round, as lists of classes.
class HeaviestCliques {
 public:
  explicit HeaviestCliques(Budget& budget) : budget_(budget) {}

  Offset weight() const { return weight_; }
  // Starts with a weight that some clique is known to have.
  void reset(Offset least_weight) {
    forget();
    weight_ = least_weight;
  }
  // Takes a clique, unless a heavier one is known. `append(members)` appends its classes.
  template <typename Append>
  void report(Offset clique_weight, Append&& append) {
    if (clique_weight < weight_) return;
    if (clique_weight > weight_) forget();
    weight_ = clique_weight;
    const auto begin = lists_.members.size();
    append(lists_.members);
    std::sort(lists_.members.begin() + begin, lists_.members.end());
    lists_.close_list();
    if (lists_.size() % kCliquesPerCharge == 0) charge();
  }
  // Appends the cliques to `pools` in canonical order, and forgets them.
  void move_to(Ragged& pools) {
    charge();
    ChargedBuffer<Node> order(budget_, idx(lists_.size()));
    std::iota(order.begin(), order.end(), 0);
    Pace pace(budget_);
    sort_in_pieces(order.begin(), order.end(), pace, [&](Node a, Node b) {
      const auto left = lists_[a];
      const auto right = lists_[b];
      return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
    });
    for (const Node i : order.span()) {
      pools.append(lists_[i]);
      pace.step(lists_[i].size());
    }
    forget();
  }
  RaggedView lists() const { return lists_.view(); }

 private:
  static constexpr Offset kCliquesPerCharge = 64;

  void charge() {
    const std::int64_t bytes = lists_.bytes();
    budget_.add_bytes(bytes - charged_bytes_);
    charged_bytes_ = bytes;
  }
  void forget() {
    lists_.clear();
    budget_.release_bytes(charged_bytes_);
    charged_bytes_ = 0;
  }

  Budget& budget_;
  Offset weight_ = 0;
  Ragged lists_;
  std::int64_t charged_bytes_ = 0;
};

class ImpliedPoolingRun {
 public:
  ImpliedPoolingRun(const ImpliedRows& graph, std::span<const Node> weights, const CoarseningOptions& fitting,
                    Pooler& pooler, const PoolingOptions& options, Budget& budget, Ragged& pools)
      : fitting_(fitting),
        pooler_(pooler),
        options_(options),
        budget_(budget),
        pools_(pools),
        best_(budget),
        prefix_(budget),
        is_pooled_(budget, weights.size(), 0) {
    parts_.push_back(std::make_unique<InducedClasses>(graph, weights, fitting.threads, budget));
  }

  void pool() {
    InducedClasses& part = *parts_.front();
    pools_.clear();
    if (options_.progress) budget_.set_total(part.num_classes());
    Slots left(budget_, idx(part.num_classes()));
    std::iota(left.begin(), left.end(), 0);
    while (!left.empty()) {
      part.choose(left.span());
      if (fits(part, part.count())) {
        pool_rest(part);
        break;
      }
      best_.reset(part.heaviest_known_clique());
      Slots searched(budget_);
      searched.append(left.span());
      raise_bound(searched);
      search(searched, 0, 0);
      close_round(left);
    }
    charge_pools();
  }

 private:
  bool fits(const InducedClasses& part, Offset entries) const {
    return fitting_.fits(static_cast<Offset>(part.size()), entries, budget_);
  }
  InducedClasses& part_at(std::size_t depth) {
    while (parts_.size() <= depth) parts_.push_back(std::make_unique<InducedClasses>(*parts_.front()));
    return *parts_[depth];
  }

  void charge_pools() {
    const std::int64_t bytes = pools_.bytes();
    budget_.add_bytes(bytes - charged_bytes_);
    charged_bytes_ = bytes;
  }

  // Makes the heaviest cliques pools, and removes their members from the slots that are left.
  void close_round(Slots& left) {
    for (const Node c : best_.lists().members) is_pooled_[idx(c)] = 1;
    best_.move_to(pools_);
    charge_pools();
    const auto before = left.size();
    const auto is_pooled = [&](Node slot) { return is_pooled_[idx(parts_.front()->class_of(slot))] != 0; };
    left.truncate(static_cast<std::size_t>(std::remove_if(left.begin(), left.end(), is_pooled) - left.begin()));
    if (options_.progress) budget_.add_done(static_cast<std::int64_t>(before - left.size()));
  }

  // Calls use(pools), lists of numbers, with the pools of the graph between the chosen classes.
  template <typename Use>
  void pool_stored(InducedClasses& part, bool only_first_round, Use&& use) {
    Graph graph;
    part.store(graph);
    Ragged found;
    const PoolingOptions options{.threads = options_.threads, .only_first_round = only_first_round, .progress = false};
    pooler_.run({graph.view(), part.chosen_weights()}, options, budget_, found);
    part.discard(graph);
    use(found.view());
    budget_.release_bytes(found.bytes());
  }

  // Lower pools than all that were found before.
  void pool_rest(InducedClasses& part) {
    pool_stored(part, false, [&](RaggedView found) {
      for (Offset i = 0; i < found.size(); ++i) {
        for (const Node number : found[i]) pools_.members.push_back(part.class_at(number));
        pools_.close_list();
      }
      charge_pools();
    });
  }

  // Raises the weight that some clique is known to have: where too much is left for it, the heaviest cliques of the
  // part of highest weight are found first. They are mostly the heaviest of all.
  void raise_bound(const Slots& slots) {
    InducedClasses& part = *parts_.front();
    Slots heavy(budget_);
    heavy.append(slots.span());
    peel(part, heavy, 0);
    if (heavy.empty() || fits(part, part.count())) return;
    do {
      drop_lightest(part, heavy);
      part.choose(heavy.span());
    } while (!fits(part, part.count()));
    if (heavy.empty()) return;
    search_stored(part, 0);
    best_.reset(best_.weight());
  }

  // Drops the quarter of least weight, after a count.
  void drop_lightest(const InducedClasses& part, Slots& slots) {
    Slots kept(budget_);
    kept.append(slots.span());
    Node* const first_kept = kept.begin() + (kept.size() + 3) / 4;
    std::nth_element(kept.begin(), first_kept, kept.end(),
                     [&](Node a, Node b) { return part.closed_weight(a) < part.closed_weight(b); });
    std::sort(first_kept, kept.end());
    slots.truncate(static_cast<std::size_t>(std::copy(first_kept, kept.end(), slots.begin()) - slots.begin()));
  }

  // Reports all heaviest cliques of the prefix and classes of `slots`, which are adjacent to all of the prefix.
  void search(Slots& slots, Offset prefix_weight, std::size_t depth) {
    InducedClasses& part = part_at(depth);
    const std::size_t prefix_size = prefix_.size();
    for (;;) {
      peel(part, slots, prefix_weight);
      prefix_weight += take_universal(part, slots);
      if (slots.empty()) {
        report_prefix(prefix_weight);
        break;
      }
      part.choose(slots.span());
      const Offset entries = part.count();
      if (fits(part, entries)) {
        search_stored(part, prefix_weight);
        break;
      }
      search_lightest(part, slots, entries, prefix_weight, depth);
    }
    prefix_.truncate(prefix_size);
  }

  // Drops classes that are in no clique as heavy as the best one. The counts that it leaves are those of `slots`.
  void peel(InducedClasses& part, Slots& slots, Offset prefix_weight) {
    for (int i = 0;; ++i) {
      part.choose(slots.span());
      part.count();
      if (i == kMostPeelings) return;
      const auto is_light = [&](Node slot) { return prefix_weight + part.closed_weight(slot) < best_.weight(); };
      Node* const end = std::remove_if(slots.begin(), slots.end(), is_light);
      if (end == slots.end()) return;
      slots.truncate(static_cast<std::size_t>(end - slots.begin()));
    }
  }

  // Moves the classes adjacent to all others to the prefix. Returns their weight.
  Offset take_universal(const InducedClasses& part, Slots& slots) {
    Offset weight = 0;
    const auto others = static_cast<Node>(slots.size()) - 1;
    const auto is_universal = [&](Node slot) { return part.degree(slot) == others; };
    for (const Node slot : slots.span()) {
      if (!is_universal(slot)) continue;
      prefix_.push_back(part.class_of(slot));
      weight += part.weight_of(part.class_of(slot));
    }
    slots.truncate(static_cast<std::size_t>(std::remove_if(slots.begin(), slots.end(), is_universal) - slots.begin()));
    return weight;
  }

  void search_stored(InducedClasses& part, Offset prefix_weight) {
    pool_stored(part, true, [&](RaggedView found) {
      Offset weight = prefix_weight;
      for (const Node number : found[0]) weight += part.chosen_weights()[idx(number)];
      for (Offset i = 0; i < found.size(); ++i) {
        best_.report(weight, [&](Buffer<Node>& members) {
          members.append(prefix_.span());
          for (const Node number : found[i]) members.push_back(part.class_at(number));
        });
      }
    });
  }

  void report_prefix(Offset prefix_weight) {
    if (prefix_.empty()) return;
    budget_.add_cliques(1);
    best_.report(prefix_weight, [&](Buffer<Node>& members) { members.append(prefix_.span()); });
  }

  // Removes classes from `slots`, those of least weight first, until the graph between the others fits; at least one.
  // Before it is removed, the cliques of each one and its neighbours are searched, if they may be heavy enough.
  void search_lightest(InducedClasses& part, Slots& slots, Offset entries, Offset prefix_weight, std::size_t depth) {
    Slots order(budget_);
    order.append(slots.span());
    std::sort(order.begin(), order.end(), [&](Node a, Node b) {
      return part.closed_weight(a) != part.closed_weight(b) ? part.closed_weight(a) < part.closed_weight(b) : a < b;
    });
    ChargedBuffer<Offset> closed_weight(budget_, part.size());  // of what is left
    for (const Node slot : slots.span()) closed_weight[idx(part.number(slot))] = part.closed_weight(slot);
    ChargedBuffer<unsigned char> is_left(budget_, part.size(), 1);
    ChargedBuffer<Node> row(budget_);
    Slots neighbours(budget_);
    for (const Node leader : order.span()) {
      const Node number = part.number(leader);
      const Node weight = part.chosen_weights()[idx(number)];
      part.neighbours(leader, row);
      is_left[idx(number)] = 0;
      neighbours.clear();
      for (const Node other : row.span()) {
        if (!is_left[idx(other)]) continue;
        neighbours.push_back(part.slot_of(part.class_at(other)));
        closed_weight[idx(other)] -= weight;
      }
      entries -= 2 * static_cast<Offset>(neighbours.size());
      if (prefix_weight + closed_weight[idx(number)] >= best_.weight()) {
        std::sort(neighbours.begin(), neighbours.end());
        prefix_.push_back(part.class_of(leader));
        search(neighbours, prefix_weight + weight, depth + 1);
        prefix_.pop_back();
      }
      if (fits(part, entries)) break;
    }
    const auto is_removed = [&](Node slot) { return !is_left[idx(part.number(slot))]; };
    slots.truncate(static_cast<std::size_t>(std::remove_if(slots.begin(), slots.end(), is_removed) - slots.begin()));
  }

  std::vector<std::unique_ptr<InducedClasses>> parts_;  // of each depth of the search
  CoarseningOptions fitting_;
  Pooler& pooler_;
  PoolingOptions options_;
  Budget& budget_;
  Ragged& pools_;
  HeaviestCliques best_;
  ChargedBuffer<Node> prefix_;  // classes that are in all cliques of the search
  ChargedBuffer<unsigned char> is_pooled_;
  std::int64_t charged_bytes_ = 0;
};

}  // namespace

void pool_implied(const ImpliedRows& graph, std::span<const Node> weights, const CoarseningOptions& fitting,
                  Pooler& pooler, const PoolingOptions& options, Budget& budget, Ragged& pools) {
  ImpliedPoolingRun(graph, weights, fitting, pooler, options, budget, pools).pool();
}

}  // namespace cliquepool
