// Parts of many graphs that are kept end to end: the rows and lists of chosen graphs, as arrays of their own.
#pragma once

#include <cstddef>
#include <span>

#include "base/types.hpp"

namespace cliquepool {

// Where the nodes (classes, pools) of each chosen graph begin when these stand end to end.
Buffer<Offset> cut_starts(std::span<const Offset> start, std::span<const Offset> chosen);

// Everything of the chosen graphs that a batch is made of, in one pass: the parts end to end, and their sizes.
//
// The members of lists are kept relative to their own graph; here they become relative to the first chosen graph:
// `target_start` says where each graph's targets begin.
struct FlatLists {
  std::span<const Offset> list_start;
  RaggedView lists;
  std::span<const Offset> target_start;
};

struct FlatValues {
  std::span<const Offset> start;
  std::span<const float> values;
};

template <typename T>
struct CutParts {
  Buffer<T> all;
  Buffer<Offset> sizes;
};

struct Cut {
  CutParts<Offset> offsets;  // first where each chosen graph's nodes begin, for all `starts`; then those of the lists
  CutParts<Node> members;
  CutParts<float> values;
};

void cut_everything(std::span<const std::span<const Offset>> starts, std::span<const FlatLists> lists,
                    std::span<const FlatValues> values, std::span<const Offset> chosen, Cut& cut);

// The rows of the chosen graphs, `row_bytes` each.
void cut_rows(std::span<const Offset> start, std::span<const std::byte> rows, std::size_t row_bytes,
              std::span<const Offset> chosen, std::span<std::byte> cut);

}  // namespace cliquepool
