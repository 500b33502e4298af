#include "hierarchy/pool_twins.hpp"

#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "base/parallel_sorting.hpp"

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
  by_hash_ = ChargedBuffer<HashedPool>(*budget_);
  for (auto* const nodes : {&touching_, &first_twin_}) *nodes = ChargedBuffer<Node>(*budget_);
  for (auto* const offsets : {&reach_, &touched_}) *offsets = ChargedBuffer<Offset>(*budget_);
  hash_ = ChargedBuffer<std::uint64_t>(*budget_);
  covers_.clear();
}

void PoolTwins::find(const LevelRows& rows, RaggedView pools, const PoolTrie& trie, unsigned threads,
                     TwinLevel& coarse) {
  threads = trie.size() < kSlotsPerRange ? 1 : std::max(threads, 1U);
  count_touching(rows, pools, threads);
  hash_neighbourhoods(rows, trie, threads);
  group_by_hash(rows, pools, threads);
  number_classes(trie, coarse);
  bound_entries(trie);
}

void PoolTwins::count_touching(const LevelRows& rows, RaggedView pools, unsigned threads) {
  const std::size_t num_vertices = idx(rows.num_nodes());
  touching_.assign(num_vertices, 0);
  // Every thread reads all members, and counts those of its own range of vertices.
  share_ranges(threads, num_vertices, num_vertices / threads + 1, *budget_,
               [&](unsigned, std::size_t first, std::size_t last) {
                 Pace pace(*budget_);
                 for (const Node v : pools.members) {
                   if (idx(v) >= first && idx(v) < last) ++touching_[idx(v)];
                   pace.step();
                 }
               });
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
void PoolTwins::group_by_hash(const LevelRows& rows, RaggedView pools, unsigned threads) {
  const std::size_t num_pools = idx(pools.size());
  by_hash_.resize(num_pools);
  first_twin_.resize(num_pools);
  std::iota(first_twin_.begin(), first_twin_.end(), 0);
  for (std::size_t p = 0; p < num_pools; ++p) by_hash_[p] = {hash_[p], static_cast<Node>(p)};
  const auto high_bits = [](const HashedPool& hashed) { return static_cast<std::uint32_t>(hashed.hash >> 32); };
  sort_shared(by_hash_.span(), threads, *budget_, high_bits, [&](const HashedPool& a, const HashedPool& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    if (reach_[idx(a.pool)] != reach_[idx(b.pool)]) return reach_[idx(a.pool)] < reach_[idx(b.pool)];
    return a.pool < b.pool;
  });
  for (ClosedCover& cover : covers_) cover.reset(rows);
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, covers_.size()));
  share_ranges(threads, num_pools, kSlotsPerRange, *budget_, [&](unsigned thread, std::size_t first, std::size_t last) {
    compare_groups(pools, first, last, covers_[thread]);
  });
}

// Compares the pools of each group, equal in hash and reach, that begins in a range of `by_hash_`.
void PoolTwins::compare_groups(RaggedView pools, std::size_t first, std::size_t last, ClosedCover& cover) {
  Pace pace(*budget_);
  const auto same = [&](std::size_t i, std::size_t j) {
    return by_hash_[i].hash == by_hash_[j].hash && reach_[idx(by_hash_[i].pool)] == reach_[idx(by_hash_[j].pool)];
  };
  std::size_t begin = first;
  while (begin > 0 && begin < last && same(begin - 1, begin)) ++begin;
  while (begin < last) {
    std::size_t end = begin + 1;
    while (end < by_hash_.size() && same(begin, end)) ++end;
    const auto group = std::as_const(by_hash_).span().subspan(begin, end - begin);
    if (group.size() > 1) {
      if (are_twins(pools, group, cover, pace)) {
        for (const HashedPool& twin : group) first_twin_[idx(twin.pool)] = group.front().pool;
      } else {
        split_group(pools, group, cover, pace);
      }
    }
    pace.step(group.size());
    begin = end;
  }
}

// Returns whether all pools of a group have the same closed neighbourhood. These are of equal size, so they are equal
// when the others add nothing to the first one.
bool PoolTwins::are_twins(RaggedView pools, std::span<const HashedPool> group, ClosedCover& cover, Pace& pace) const {
  cover.mark();
  for (const Node v : pools[group.front().pool]) cover.insert(v, pace);
  const std::size_t of_first = cover.size();
  for (const HashedPool& other : group.subspan(1)) {
    for (const Node v : pools[other.pool]) cover.insert(v, pace);
    pace.step(pools[other.pool].size());
    if (cover.size() > of_first) break;
  }
  const bool within = cover.size() == of_first;
  cover.pop();
  return within;
}

// Splits a group whose hashes collide, which hardly ever happens, by comparing the sets in pairs.
void PoolTwins::split_group(RaggedView pools, std::span<const HashedPool> group, ClosedCover& cover, Pace& pace) {
  Buffer<HashedPool> left;  // other threads may read the group itself
  Buffer<HashedPool> rest;
  left.append(group);
  while (!left.empty()) {
    const HashedPool first = left[0];
    first_twin_[idx(first.pool)] = first.pool;
    rest.clear();
    for (const HashedPool& other : left.span().subspan(1)) {
      const HashedPool pair[] = {first, other};
      if (are_twins(pools, pair, cover, pace)) {
        first_twin_[idx(other.pool)] = first.pool;
      } else {
        rest.push_back(other);
      }
    }
    std::swap(left, rest);
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
