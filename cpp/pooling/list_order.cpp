#include "pooling/list_order.hpp"

#include <algorithm>

#include "base/charged_buffer.hpp"
#include "base/sorting.hpp"

namespace cliquepool {

Ragged sorted_lists(RaggedView lists, Budget& budget) {
  Pace pace(budget);
  ChargedBuffer<Node> members(budget, lists.members.size());
  std::copy(lists.members.begin(), lists.members.end(), members.begin());
  ChargedBuffer<std::span<const Node>> order(budget, idx(lists.size()));
  for (Offset i = 0; i < lists.size(); ++i) {
    Node* const begin = members.data() + lists.offsets[idx(i)];
    const std::size_t size = lists[i].size();
    std::sort(begin, begin + size);
    order[idx(i)] = {begin, size};
    pace.step(size + 1);
  }
  sort_in_pieces(order.begin(), order.end(), pace, [](std::span<const Node> a, std::span<const Node> b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  Ragged sorted;
  resize_result(sorted.members, members.size(), budget);
  resize_result(sorted.offsets, lists.offsets.size(), budget);
  sorted.offsets[0] = 0;
  Node* end = sorted.members.data();
  for (std::size_t i = 0; i < order.size(); ++i) {
    end = std::copy(order[i].begin(), order[i].end(), end);
    sorted.offsets[i + 1] = static_cast<Offset>(end - sorted.members.data());
    pace.step(order[i].size() + 1);
  }
  return sorted;
}

}  // namespace cliquepool
