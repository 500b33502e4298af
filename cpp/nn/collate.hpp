// Collation: the arrays of chosen graphs, gathered from data sets that store many graphs end to end.
#pragma once

#include <cstddef>
#include <span>

#include "base/types.hpp"

namespace cliquepool {

// Returns where the nodes (classes, pools) of each chosen graph start when these are end to end.
Buffer<Offset> gather_starts(std::span<const Offset> start, std::span<const Offset> chosen);

// Copies the rows of the chosen graphs, `row_bytes` each, to `gathered`.
void gather_rows(std::span<const Offset> start, std::span<const std::byte> rows, std::size_t row_bytes,
                 std::span<const Offset> chosen, std::span<std::byte> gathered);

// The lists of all graphs. Graph g has the lists list_start[g] to list_start[g + 1], whose members count its targets
// (nodes, classes or pools) from 0; target_start[g + 1] - target_start[g] is how many targets it has.
struct FlatLists {
  std::span<const Offset> list_start;
  RaggedView lists;
  std::span<const Offset> target_start;
};

// The values of all graphs. Graph g has the values start[g] to start[g + 1].
struct FlatValues {
  std::span<const Offset> start;
  std::span<const float> values;
};

// Several arrays end to end, with their sizes.
template <typename T>
struct Concatenated {
  Buffer<T> all;
  Buffer<Offset> sizes;
};

struct CollatedArrays {
  Concatenated<Offset> offsets;  // gather_starts of each of `starts`; then the offsets of the lists
  Concatenated<Node> members;    // of the lists, which count targets from the first chosen graph
  Concatenated<float> values;
};

// Gathers all arrays of a batch of chosen graphs in one pass.
void collate(std::span<const std::span<const Offset>> starts, std::span<const FlatLists> lists,
             std::span<const FlatValues> values, std::span<const Offset> chosen, CollatedArrays& to);

}  // namespace cliquepool
