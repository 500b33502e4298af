#include "reading/name_table.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "base/errors.hpp"

namespace cliquepool {

Node NameTable::number(std::string_view name) {
  if (2 * (size() + 1) > slots_.size()) grow();
  const std::uint64_t value = hash(name);
  Slot& slot = slots_[slot_of(name, value)];
  if (slot.number < 0) {
    if (size() >= static_cast<std::size_t>(kMaxNodes)) {
      throw GraphError("expected at most " + std::to_string(kMaxNodes) + " different node ids, got more");
    }
    slot = {static_cast<std::uint32_t>(value >> 32), static_cast<Node>(size())};
    names_.push_back(name);
  }
  return slot.number;
}

std::int64_t NameTable::bytes() const {
  return static_cast<std::int64_t>(names_.text.size() + names_.ends.size() * sizeof(std::int64_t) +
                                   slots_.size() * sizeof(Slot));
}

Buffer<Node> NameTable::ranks(Budget& budget) const {
  budget.add_bytes(static_cast<std::int64_t>(2 * size() * sizeof(Node)));
  Buffer<Node> order(size());
  for (std::size_t i = 0; i < size(); ++i) order[i] = static_cast<Node>(i);
  Pace pace(budget);
  std::sort(order.begin(), order.end(), [&](Node a, Node b) {
    pace.step();
    return names_[idx(a)] < names_[idx(b)];
  });
  Buffer<Node> ranks(size());
  for (std::size_t i = 0; i < size(); ++i) ranks[idx(order[i])] = static_cast<Node>(i);
  return ranks;
}

Names NameTable::ranked(const Buffer<Node>& ranks) const {
  Buffer<Node> order(size());
  for (std::size_t i = 0; i < size(); ++i) order[idx(ranks[i])] = static_cast<Node>(i);
  Names sorted;
  sorted.text.reserve(names_.text.size());
  sorted.ends.reserve(size());
  for (const Node number : order) sorted.push_back(names_[idx(number)]);
  return sorted;
}

std::uint64_t NameTable::hash(std::string_view name) {
  // The library's hash may be of 32 bits, or poor in some of them.
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t value = std::hash<std::string_view>{}(name)*kOdd;
  value ^= value >> 29;
  return value * kOdd;
}

std::size_t NameTable::slot_of(std::string_view name, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t slot = static_cast<std::size_t>(hash) & mask;
  while (slots_[slot].number >= 0 && !(slots_[slot].tag == tag && names_[idx(slots_[slot].number)] == name)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void NameTable::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), Slot{0, -1});
  for (std::size_t i = 0; i < size(); ++i) {
    const std::uint64_t value = hash(names_[i]);
    // All names are different, so that tags alone must not stop the search: compare as usual.
    slots_[slot_of(names_[i], value)] = {static_cast<std::uint32_t>(value >> 32), static_cast<Node>(i)};
  }
}

}  // namespace cliquepool
