#include "cutting.hpp"

#include <cstring>

namespace cliquepool {

Buffer<Offset> cut_starts(std::span<const Offset> start, std::span<const Offset> chosen) {
  Buffer<Offset> cut;
  cut.reserve(chosen.size() + 1);
  cut.push_back(0);
  for (const Offset graph : chosen) cut.push_back(cut.back() + start[idx(graph) + 1] - start[idx(graph)]);
  return cut;
}

void cut_lists(std::span<const Offset> list_start, RaggedView lists, std::span<const Offset> target_start,
               std::span<const Offset> chosen, Ragged& cut) {
  std::size_t num_lists = 0;
  std::size_t num_members = 0;
  for (const Offset graph : chosen) {
    const Offset begin = list_start[idx(graph)];
    const Offset end = list_start[idx(graph) + 1];
    num_lists += idx(end - begin);
    num_members += idx(lists.offsets[idx(end)] - lists.offsets[idx(begin)]);
  }
  cut.offsets.resize(num_lists + 1);
  cut.members.resize(num_members);
  Offset* offset = cut.offsets.data();
  Node* member = cut.members.data();
  *offset++ = 0;
  Offset before = 0;
  Node base = 0;
  for (const Offset graph : chosen) {
    const auto starts = lists.offsets.subspan(idx(list_start[idx(graph)]),
                                              idx(list_start[idx(graph) + 1] - list_start[idx(graph)]) + 1);
    const Offset shift = before - starts.front();
    for (const Offset start : starts.subspan(1)) *offset++ = start + shift;
    for (const Node m : lists.members.subspan(idx(starts.front()), idx(starts.back() - starts.front())))
      *member++ = base + m;
    before += starts.back() - starts.front();
    base += static_cast<Node>(target_start[idx(graph) + 1] - target_start[idx(graph)]);
  }
}

void cut_rows(std::span<const Offset> start, std::span<const std::byte> rows, std::size_t row_bytes,
              std::span<const Offset> chosen, std::span<std::byte> cut) {
  std::byte* to = cut.data();
  for (const Offset graph : chosen) {
    const std::size_t begin = idx(start[idx(graph)]) * row_bytes;
    const std::size_t bytes = idx(start[idx(graph) + 1]) * row_bytes - begin;
    if (bytes > 0) std::memcpy(to, rows.data() + begin, bytes);
    to += bytes;
  }
}

}  // namespace cliquepool
