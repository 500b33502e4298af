// Set of the integers 0..n-1 that can be truncated to an earlier state.
#pragma once

#include <cstddef>
#include <span>
#include <tuple>

#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Keeps its members in the order of insertion: the set as it was at size k is the first k of them.
class StackSet {
 public:
  // To bind to a budget.
  auto buffers() { return std::tie(is_member_, members_); }

  // Empties the set and makes room for 0..universe-1.
  void reset(std::size_t universe) {
    is_member_.assign(universe, 0);
    members_.clear();
    members_.reserve(universe);
  }
  // Returns whether the value is new.
  bool insert(Node value) {
    if (is_member_[idx(value)]) return false;
    is_member_[idx(value)] = 1;
    members_.push_back(value);
    return true;
  }
  void truncate(std::size_t size) {
    for (std::size_t i = size; i < members_.size(); ++i) is_member_[idx(members_[i])] = 0;
    members_.truncate(size);
  }
  std::size_t size() const { return members_.size(); }
  std::span<const Node> members() const { return members_.span(); }

 private:
  ChargedBuffer<unsigned char> is_member_;
  ChargedBuffer<Node> members_;
};

}  // namespace cliquepool
