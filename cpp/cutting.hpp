// Parts of many graphs that are kept end to end: the rows and lists of chosen graphs, as arrays of their own.
#pragma once

#include <cstddef>
#include <span>

#include "types.hpp"

namespace cliquepool {

// Where the nodes (classes, pools) of each chosen graph begin when these stand end to end.
Buffer<Offset> cut_starts(std::span<const Offset> start, std::span<const Offset> chosen);

// The lists of the chosen graphs. Members are kept relative to their own graph; here they become relative to the
// first chosen graph: `target_start` says where each graph's targets begin.
void cut_lists(std::span<const Offset> list_start, RaggedView lists, std::span<const Offset> target_start,
               std::span<const Offset> chosen, Ragged& cut);

// The rows of the chosen graphs, `row_bytes` each.
void cut_rows(std::span<const Offset> start, std::span<const std::byte> rows, std::size_t row_bytes,
              std::span<const Offset> chosen, std::span<std::byte> cut);

}  // namespace cliquepool
