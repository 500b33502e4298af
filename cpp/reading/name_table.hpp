// Node ids that are text: each distinct name once, numbered as it comes, and by rank at the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/budget.hpp"
#include "base/buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Names end to end: name i ends where ends[i] says.
struct Names {
  Buffer<char> text;
  Buffer<std::int64_t> ends;

  std::size_t size() const { return ends.size(); }
  std::string_view operator[](std::size_t i) const {
    const auto begin = static_cast<std::size_t>(i == 0 ? 0 : ends[i - 1]);
    return {text.data() + begin, static_cast<std::size_t>(ends[i]) - begin};
  }
  void push_back(std::string_view name) {
    text.append({name.data(), name.size()});
    ends.push_back(static_cast<std::int64_t>(text.size()));
  }
};

class NameTable {
 public:
  // The number of a name, the next one where it is new. Throws GraphError when there are more names than nodes.
  Node number(std::string_view name);
  bool contains(std::string_view name) const {
    return !slots_.empty() && slots_[slot_of(name, hash(name))].number >= 0;
  }

  std::size_t size() const { return names_.size(); }
  std::int64_t bytes() const;

  // The rank of each number in the order of the names by bytes, which is that of their code points.
  Buffer<Node> ranks(Budget& budget) const;
  // The names in that order.
  Names ranked(const Buffer<Node>& ranks) const;

 private:
  struct Slot {
    std::uint32_t tag;  // of the hash, so that most comparisons end here
    Node number;        // -1 where the slot is free
  };

  static std::uint64_t hash(std::string_view name);
  // Where the name is, or the free slot where it belongs.
  std::size_t slot_of(std::string_view name, std::uint64_t hash) const;
  void grow();

  Names names_;
  Buffer<Slot> slots_;  // a power of two of them, at most half taken
};

}  // namespace cliquepool
