#include "reading/name_table.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

#include "base/errors.hpp"
#include "base/hashing.hpp"

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

ChargedBuffer<Node> NameTable::ranks(Budget& budget) const {
  ChargedBuffer<Node> ranks(budget, size());
  ChargedBuffer<Node> order(budget, size());
  std::iota(order.begin(), order.end(), Node{0});
  Pace pace(budget);
  std::sort(order.begin(), order.end(), [&](Node a, Node b) {
    pace.step();
    return names_[idx(a)] < names_[idx(b)];
  });
  for (std::size_t i = 0; i < size(); ++i) ranks[idx(order[i])] = static_cast<Node>(i);
  return ranks;
}

Names NameTable::sorted(std::span<const Node> ranks, Budget& budget) const {
  ChargedBuffer<Node> order(budget, size());
  for (std::size_t i = 0; i < size(); ++i) order[idx(ranks[i])] = static_cast<Node>(i);
  Names result;
  resize_result(result.text, names_.text.size(), budget);
  resize_result(result.ends, size(), budget);
  result.text.clear();
  result.ends.clear();
  for (const Node number : order) result.push_back(names_[idx(number)]);
  return result;
}

std::uint64_t NameTable::hash(std::string_view name) {
  return mix_bits(std::hash<std::string_view>{}(name));  // the standard library's hash may have 32 bits only
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
    slots_[slot_of(names_[i], value)] = {static_cast<std::uint32_t>(value >> 32), static_cast<Node>(i)};
  }
}

}  // namespace cliquepool
