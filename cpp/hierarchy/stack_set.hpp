// Set of the integers 0..n-1 that can be truncated to an earlier state.
#pragma once

#include <cstddef>
#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Keeps its members in the order of insertion: the set as it was at size k is the first k of them. Keeps its memory
// between uses, bound to the budget of each (see charged_buffer.hpp).
class StackSet {
 public:
  void bind(Budget& budget) { bind_all(budget, is_member_, members_); }
  void unbind() { unbind_all(is_member_, members_); }

  // Empties the set and makes room for 0..universe-1.
  void reset(std::size_t universe) {
    is_member_.assign(universe, 0);
    members_.clear();
    members_.reserve(universe + 1);  // one more, to be written and overwritten without a branch
  }
  // Returns whether the value is new. No branch: whether a neighbour is new is hard to predict.
  bool insert(Node value) {
    unsigned char& is_member = is_member_[idx(value)];
    const bool is_new = is_member == 0;
    is_member = 1;
    *members_.end() = value;
    members_.commit(is_new);
    return is_new;
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
