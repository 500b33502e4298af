#include "hierarchy/pool_twins.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "base/sorting.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kSlotsPerRange = 1 << 12;  // shared out to threads

}  // namespace

void PoolTwins::bind(Budget& budget) {
  budget_ = &budget;
  bind_all(budget, touching_, hash_, reach_, touched_, by_hash_, first_twin_, representatives_);
  for (ClosedCover& cover : covers_) cover.bind(budget);
}

void PoolTwins::unbind() {
  unbind_all(touching_, hash_, reach_, touched_, by_hash_, first_twin_, representatives_);
  for (ClosedCover& cover : covers_) cover.unbind();
  budget_ = nullptr;
}

void PoolTwins::free_work() {
  for (auto* const nodes : {&touching_, &by_hash_, &first_twin_}) *nodes = ChargedBuffer<Node>(*budget_);
  for (auto* const offsets : {&reach_, &touched_}) *offsets = ChargedBuffer<Offset>(*budget_);
  hash_ = ChargedBuffer<std::uint64_t>(*budget_);
  covers_.clear();
}

void PoolTwins::find(const LevelRows& rows, RaggedView pools, const PoolTrie& trie, unsigned threads,
                     TwinLevel& coarse) {
  Pace pace(*budget_);
  count_touching(rows, pools, pace);
  hash_neighbourhoods(rows, trie, threads);
  group_by_hash(rows, pools, pace);
  number_classes(trie, coarse);
  bound_entries(trie);
}

void PoolTwins::count_touching(const LevelRows& rows, RaggedView pools, Pace& pace) {
  touching_.assign(idx(rows.num_nodes()), 0);
  for (const Node v : pools.members) {
    ++touching_[idx(v)];
    pace.step();
  }
}

void PoolTwins::hash_neighbourhoods(const LevelRows& rows, const PoolTrie& trie, unsigned threads) {
  Pace pace(*budget_);
  hashes_.extend(rows.num_nodes(), pace);
  hash_.resize(trie.size());
  reach_.resize(trie.size());
  touched_.resize(trie.size());
  ChargedBuffer<Node> all_slots(*budget_, trie.size());
  std::iota(all_slots.begin(), all_slots.end(), 0);
  const std::size_t ranges = threads <= 1 ? 1 : (trie.size() + kSlotsPerRange - 1) / kSlotsPerRange;
  const std::size_t per_range = ranges <= 1 ? trie.size() : kSlotsPerRange;
  while (covers_.size() < std::max<std::size_t>(1, std::min<std::size_t>(threads, ranges)))
    covers_.emplace_back().bind(*budget_);
  share_out(threads, ranges, *budget_, [&](unsigned thread, std::size_t range) {
    const std::size_t first = range * per_range;
    const auto slots = std::as_const(all_slots).span().subspan(first, std::min(per_range, trie.size() - first));
    hash_slots(rows, trie, slots, covers_[thread]);
  });
}

void PoolTwins::hash_slots(const LevelRows& rows, const PoolTrie& trie, std::span<const Node> slots,
                           ClosedCover& cover) {
  struct Sums {
    std::uint64_t hash;
    Offset touched;
  };
  Pace pace(*budget_);
  Sums sums{0, 0};
  ChargedBuffer<Sums> before(*budget_);  // of each shorter prefix of the current path
  cover.reset(rows);
  trie.walk(
      slots,
      [&](Node v) {
        before.push_back(sums);
        const std::size_t covered = cover.size();
        cover.push(v, pace);
        for (const Node u : cover.members().subspan(covered)) {
          sums.hash += hashes_[u];
          sums.touched += touching_[idx(u)];
        }
      },
      [&] {
        cover.pop();
        sums = before.back();
        before.pop_back();
      },
      [&](Node slot) {
        const Node pool = trie.pool(slot);
        hash_[idx(pool)] = sums.hash;
        reach_[idx(pool)] = static_cast<Offset>(cover.size());
        touched_[idx(pool)] = sums.touched;
        pace.step();
      });
}

// Sets `first_twin_`.
void PoolTwins::group_by_hash(const LevelRows& rows, RaggedView pools, Pace& pace) {
  by_hash_.resize(idx(pools.size()));
  first_twin_.resize(idx(pools.size()));
  std::iota(by_hash_.begin(), by_hash_.end(), 0);
  covers_.front().reset(rows);
  const auto same = [&](Node a, Node b) { return hash_[idx(a)] == hash_[idx(b)] && reach_[idx(a)] == reach_[idx(b)]; };
  sort_in_pieces(by_hash_.begin(), by_hash_.end(), pace, [&](Node a, Node b) {
    if (hash_[idx(a)] != hash_[idx(b)]) return hash_[idx(a)] < hash_[idx(b)];
    if (reach_[idx(a)] != reach_[idx(b)]) return reach_[idx(a)] < reach_[idx(b)];
    return a < b;
  });
  for (std::size_t begin = 0; begin < by_hash_.size();) {
    std::size_t end = begin + 1;
    while (end < by_hash_.size() && same(by_hash_[begin], by_hash_[end])) ++end;
    const auto group = by_hash_.span().subspan(begin, end - begin);
    if (group.size() == 1 || are_twins(pools, group, pace)) {
      for (const Node pool : group) first_twin_[idx(pool)] = group.front();
    } else {
      split_group(pools, group, pace);
    }
    pace.step(group.size());
    begin = end;
  }
}

// Returns whether all pools of a group have the same closed neighbourhood. These are of equal size, so they are equal
// when the others add nothing to the first one.
bool PoolTwins::are_twins(RaggedView pools, std::span<const Node> group, Pace& pace) {
  ClosedCover& cover = covers_.front();
  cover.mark();
  for (const Node v : pools[group.front()]) cover.insert(v, pace);
  const std::size_t of_first = cover.size();
  for (const Node pool : group.subspan(1)) {
    for (const Node v : pools[pool]) cover.insert(v, pace);
    pace.step(pools[pool].size());
    if (cover.size() > of_first) break;
  }
  const bool within = cover.size() == of_first;
  cover.pop();
  return within;
}

// Splits a group whose hashes collide, which hardly ever happens, by comparing the sets in pairs.
void PoolTwins::split_group(RaggedView pools, std::span<Node> group, Pace& pace) {
  Buffer<Node> rest;
  while (!group.empty()) {
    const Node first = group.front();
    first_twin_[idx(first)] = first;
    rest.clear();
    for (const Node pool : group.subspan(1)) {
      const Node pair[] = {first, pool};
      if (are_twins(pools, pair, pace)) {
        first_twin_[idx(pool)] = first;
      } else {
        rest.push_back(pool);
      }
    }
    std::copy(rest.begin(), rest.end(), group.begin());
    group = group.first(rest.size());
  }
}

void PoolTwins::number_classes(const PoolTrie& trie, TwinLevel& coarse) {
  Pace pace(*budget_);
  const auto num_pools = static_cast<Node>(trie.size());
  representatives_.clear();
  for (Node slot = 0; slot < num_pools; ++slot) {
    if (first_twin_[idx(trie.pool(slot))] == trie.pool(slot)) representatives_.push_back(slot);
    pace.step();
  }
  resize_result(coarse.classes, idx(num_pools), *budget_);
  resize_result(coarse.sizes, representatives_.size(), *budget_);
  Node num_classes = 0;
  for (Node pool = 0; pool < num_pools; ++pool) {
    const Node first = first_twin_[idx(pool)];
    const Node c = first == pool ? num_classes++ : coarse.classes[idx(first)];
    coarse.classes[idx(pool)] = c;
    if (first == pool) coarse.sizes[idx(c)] = 0;
    ++coarse.sizes[idx(c)];
    pace.step();
  }
}

void PoolTwins::bound_entries(const PoolTrie& trie) {
  const auto most_neighbours = static_cast<Offset>(representatives_.size()) - 1;
  most_entries_ = 0;
  for (const Node slot : representatives_.span())
    most_entries_ += std::min(most_neighbours, touched_[idx(trie.pool(slot))] - 1);
}

}  // namespace cliquepool
