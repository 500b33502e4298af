#include "nn/collate.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cliquepool {

Buffer<Offset> gather_starts(std::span<const Offset> start, std::span<const Offset> chosen) {
  Buffer<Offset> gathered;
  gathered.reserve(chosen.size() + 1);
  gathered.push_back(0);
  for (const Offset graph : chosen) gathered.push_back(gathered.back() + start[idx(graph) + 1] - start[idx(graph)]);
  return gathered;
}

namespace {

// Returns the numbers of lists and of members of the chosen graphs.
std::pair<std::size_t, std::size_t> count(std::span<const Offset> list_start, RaggedView lists,
                                          std::span<const Offset> chosen) {
  std::size_t num_lists = 0;
  std::size_t num_members = 0;
  for (const Offset graph : chosen) {
    const Offset begin = list_start[idx(graph)];
    const Offset end = list_start[idx(graph) + 1];
    num_lists += idx(end - begin);
    num_members += idx(lists.offsets[idx(end)] - lists.offsets[idx(begin)]);
  }
  return {num_lists, num_members};
}

// Prefetches memory that is read soon: the parts are too short for the hardware prefetcher.
template <typename T>
void prefetch([[maybe_unused]] std::span<const T> part) {
#if defined(__GNUC__)
  constexpr std::size_t kLine = 64 / sizeof(T);
  constexpr std::size_t kMost = 64 * kLine;
  for (std::size_t i = 0; i < std::min(part.size(), kMost); i += kLine) __builtin_prefetch(part.data() + i);
#endif
}

// The offsets of the lists of a graph, one more than there are lists.
std::span<const Offset> offsets_of(const FlatLists& from, Offset graph) {
  const Offset begin = from.list_start[idx(graph)];
  return from.lists.offsets.subspan(idx(begin), idx(from.list_start[idx(graph) + 1] - begin) + 1);
}

std::span<const Node> members_of(const FlatLists& from, std::span<const Offset> offsets) {
  return from.lists.members.subspan(idx(offsets.front()), idx(offsets.back() - offsets.front()));
}

void write_lists(const FlatLists& from, std::span<const Offset> chosen, Offset* offset, Node* member) {
  *offset++ = 0;
  Offset before = 0;
  Node base = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (i + 1 < chosen.size()) {
      const auto next = offsets_of(from, chosen[i + 1]);
      prefetch(next);
      prefetch(members_of(from, next));
    }
    const Offset graph = chosen[i];
    const auto starts = offsets_of(from, graph);
    const Offset shift = before - starts.front();
    for (const Offset start : starts.subspan(1)) *offset++ = start + shift;
    for (const Node m : members_of(from, starts)) *member++ = base + m;
    before += starts.back() - starts.front();
    base += static_cast<Node>(from.target_start[idx(graph) + 1] - from.target_start[idx(graph)]);
  }
}

template <typename T>
void allocate(Concatenated<T>& parts) {
  std::size_t all = 0;
  for (const Offset size : parts.sizes) all += idx(size);
  parts.all.resize(all);
}

}  // namespace

void collate(std::span<const std::span<const Offset>> starts, std::span<const FlatLists> lists,
             std::span<const FlatValues> values, std::span<const Offset> chosen, CollatedArrays& to) {
  // Compute the sizes first, so that each array is allocated once.
  to.offsets.sizes.assign(starts.size(), static_cast<Offset>(chosen.size() + 1));
  for (const FlatLists& from : lists) {
    const auto [num_lists, num_members] = count(from.list_start, from.lists, chosen);
    to.offsets.sizes.push_back(static_cast<Offset>(num_lists + 1));
    to.members.sizes.push_back(static_cast<Offset>(num_members));
  }
  for (const FlatValues& from : values) {
    std::size_t size = 0;
    for (const Offset graph : chosen) size += idx(from.start[idx(graph) + 1] - from.start[idx(graph)]);
    to.values.sizes.push_back(static_cast<Offset>(size));
  }
  allocate(to.offsets);
  allocate(to.members);
  allocate(to.values);
  Offset* offset = to.offsets.all.data();
  Node* member = to.members.all.data();
  for (const std::span<const Offset> start : starts) {
    *offset = 0;
    for (const Offset graph : chosen) {
      offset[1] = *offset + start[idx(graph) + 1] - start[idx(graph)];
      ++offset;
    }
    ++offset;
  }
  for (std::size_t i = 0; i < lists.size(); ++i) {
    write_lists(lists[i], chosen, offset, member);
    offset += to.offsets.sizes[starts.size() + i];
    member += to.members.sizes[i];
  }
  float* value = to.values.all.data();
  for (const FlatValues& from : values) {
    for (const Offset graph : chosen) {
      const auto part =
          from.values.subspan(idx(from.start[idx(graph)]), idx(from.start[idx(graph) + 1] - from.start[idx(graph)]));
      value = std::copy(part.begin(), part.end(), value);
    }
  }
}

void gather_rows(std::span<const Offset> start, std::span<const std::byte> rows, std::size_t row_bytes,
                 std::span<const Offset> chosen, std::span<std::byte> gathered) {
  std::byte* to = gathered.data();
  for (const Offset graph : chosen) {
    const std::size_t begin = idx(start[idx(graph)]) * row_bytes;
    const std::size_t bytes = idx(start[idx(graph) + 1]) * row_bytes - begin;
    if (bytes > 0) std::memcpy(to, rows.data() + begin, bytes);
    to += bytes;
  }
}

}  // namespace cliquepool
