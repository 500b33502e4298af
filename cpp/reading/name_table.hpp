// Node ids that are text: a hash table that numbers distinct names in the order of their first occurrence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/budget.hpp"
#include "base/buffer.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Names end to end: name i ends at ends[i].
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
  // Returns the number of a name; a new name gets the next one. Throws GraphError if there are more names than a graph
  // can have nodes.
  Node number(std::string_view name);
  bool contains(std::string_view name) const {
    return !slots_.empty() && slots_[slot_of(name, hash(name))].number >= 0;
  }

  std::size_t size() const { return names_.size(); }
  std::int64_t bytes() const;

  // Returns the rank of each name, by number. Names are ordered by bytes, which is the order of their code points.
  ChargedBuffer<Node> ranks(Budget& budget) const;
  // Returns the names in the order of these ranks.
  Names sorted(std::span<const Node> ranks, Budget& budget) const;

 private:
  struct Slot {
    std::uint32_t tag;  // upper half of the hash, to avoid most comparisons of names
    Node number;        // -1 in a free slot
  };

  static std::uint64_t hash(std::string_view name);
  // Returns the slot of the name, or the free slot where it belongs.
  std::size_t slot_of(std::string_view name, std::uint64_t hash) const;
  void grow();

  Names names_;
  Buffer<Slot> slots_;  // a power of two, at most half of them used
};

}  // namespace cliquepool
