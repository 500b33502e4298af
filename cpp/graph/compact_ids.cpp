#include "graph/compact_ids.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/charged_buffer.hpp"
#include "base/errors.hpp"
#include "base/hashing.hpp"
#include "base/sorting.hpp"

namespace cliquepool {
namespace {

// Open-addressing hash table of the distinct ids, each with its rank once all are inserted.
class DistinctIds {
 public:
  explicit DistinctIds(Budget& budget) : budget_(budget), pace_(budget) { grow(1024); }

  void insert(std::int64_t id) {
    Slot& slot = find(id);
    if (slot.used) return;
    slot = {id, 0, true};
    if (++count_ * 2 > slots_.size()) grow(slots_.size() * 2);
  }

  Node rank(std::int64_t id) { return find(id).rank; }

  // Ranks all ids and returns them in ascending order.
  Buffer<std::int64_t> rank_all() {
    ChargedBuffer<std::int64_t> ascending(budget_);
    ascending.reserve(count_);
    for (const Slot& slot : slots_) {
      if (slot.used) ascending.push_back(slot.id);
      pace_.step();
    }
    sort_in_pieces(ascending.begin(), ascending.end(), pace_);
    for (std::size_t rank = 0; rank < ascending.size(); ++rank) {
      find(ascending[rank]).rank = static_cast<Node>(rank);
      pace_.step();
    }
    return ascending.take();
  }

  std::size_t count() const { return count_; }

 private:
  struct Slot {
    std::int64_t id;
    Node rank;
    bool used;
  };

  // Returns the slot of the id, or the free slot where it belongs.
  Slot& find(std::int64_t id) {
    std::size_t index = mix_bits(static_cast<std::uint64_t>(id)) & mask_;
    while (slots_[index].used && slots_[index].id != id) index = (index + 1) & mask_;
    return slots_[index];
  }

  // `size` is a power of two.
  void grow(std::size_t size) {
    const ChargedBuffer<Slot> old = std::exchange(slots_, ChargedBuffer<Slot>(budget_, size, Slot{0, 0, false}));
    mask_ = size - 1;
    for (const Slot& slot : old) {
      if (slot.used) find(slot.id) = slot;
      pace_.step();
    }
  }

  Budget& budget_;
  Pace pace_;
  ChargedBuffer<Slot> slots_;  // at most half of them used
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
};

[[noreturn]] void fail_on_count(std::size_t count) {
  throw GraphError("expected at most " + std::to_string(kMaxNodes) + " distinct node ids, got " +
                   std::to_string(count));
}

// Ranks ids in [lowest, lowest + width) by an array over that range.
template <NodeId Id>
CompactIds compact_close_ids(std::span<Id> ids, std::int64_t lowest, std::size_t width, Budget& budget) {
  ChargedBuffer<std::uint8_t> occurs(budget, width, std::uint8_t{0});
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (const Id id : ids.subspan(first, last - first)) occurs[idx(id - lowest)] = 1;
  });
  std::size_t count = 0;
  for_each_block(width, budget, [&](std::size_t first, std::size_t last) {
    count += idx(std::count(occurs.begin() + first, occurs.begin() + last, std::uint8_t{1}));
  });
  if (count > idx(kMaxNodes)) fail_on_count(count);
  if (lowest == 0 && count == width) return {static_cast<Node>(count), std::nullopt};

  ChargedBuffer<Node> rank(budget, width);
  ChargedBuffer<std::int64_t> distinct(budget, count);
  std::size_t ranked = 0;
  for_each_block(width, budget, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      rank[i] = static_cast<Node>(ranked);
      if (occurs[i] != 0) distinct[ranked++] = lowest + static_cast<std::int64_t>(i);
    }
  });
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (Id& id : ids.subspan(first, last - first)) id = rank[idx(id - lowest)];
  });
  return {static_cast<Node>(count), distinct.take()};
}

// Ranks ids by a hash table.
template <NodeId Id>
CompactIds compact_distant_ids(std::span<Id> ids, Budget& budget) {
  DistinctIds distinct(budget);
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (const Id id : ids.subspan(first, last - first)) distinct.insert(id);
  });
  if (distinct.count() > idx(kMaxNodes)) fail_on_count(distinct.count());
  Buffer<std::int64_t> ascending = distinct.rank_all();
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (Id& id : ids.subspan(first, last - first)) id = distinct.rank(id);
  });
  return {static_cast<Node>(ascending.size()), std::move(ascending)};
}

}  // namespace

template <NodeId Id>
CompactIds compact_ids(std::span<Id> ids, Budget& budget) {
  if (ids.empty()) return {};
  Id lowest = ids.front();
  Id highest = lowest;
  for_each_block(ids.size(), budget, [&](std::size_t first, std::size_t last) {
    for (const Id id : ids.subspan(first, last - first)) {
      lowest = std::min(lowest, id);
      highest = std::max(highest, id);
    }
  });
  // Unsigned: the distance between two 64-bit ids may exceed the signed range.
  const std::uint64_t distance = static_cast<std::uint64_t>(highest) - static_cast<std::uint64_t>(lowest);
  constexpr std::uint64_t kRangePerId = 8;
  constexpr std::uint64_t kSmallRange = 1 << 16;
  if (distance / kRangePerId >= ids.size() && distance >= kSmallRange) return compact_distant_ids(ids, budget);
  return compact_close_ids(ids, lowest, static_cast<std::size_t>(distance) + 1, budget);
}

template CompactIds compact_ids(std::span<std::int32_t>, Budget&);
template CompactIds compact_ids(std::span<std::int64_t>, Budget&);

}  // namespace cliquepool
