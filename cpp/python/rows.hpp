// Checks and views of feature rows and lists of rows, for the bindings of cpp/nn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "nn/rows.hpp"
#include "python/arrays.hpp"
#include "python/calls.hpp"

namespace cliquepool {

template <typename T>
Rows<T> rows(const Matrix<T>& matrix) {
  return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

// Some neighbouring columns of a matrix.
template <typename T>
Rows<T> columns(const Matrix<T>& matrix, std::size_t first, std::size_t width) {
  return {matrix.data() + first, matrix.shape(0), width, matrix.shape(1)};
}

inline bool is_ascending(std::span<const Offset> offsets) {
  bool ascending = true;  // no early exit, so that this vectorises
  for (std::size_t i = 1; i < offsets.size(); ++i) ascending &= offsets[i - 1] <= offsets[i];
  return ascending;
}

// Returns whether all are at least `least` and below `end`. One pass over indices, before passes over rows of features.
inline bool all_in_range(Node least, std::size_t end, std::span<const Node> nodes) {
  Node lowest = least;
  Node highest = least - 1;
  for (const Node v : nodes) {
    lowest = std::min(lowest, v);
    highest = std::max(highest, v);
  }
  return lowest >= least && highest < static_cast<Offset>(end);
}

// Returns `count` lists of indices below `targets`, checked.
inline RaggedView lists_of(const Offsets& offsets, const Nodes& members, std::size_t count, std::size_t targets) {
  expect(offsets.size() == count + 1 && as_span(offsets).front() == 0 &&
             as_span(offsets).back() == static_cast<Offset>(members.size()) && is_ascending(as_span(offsets)),
         "expected one list for each output row");
  expect(all_in_range(0, targets, as_span(members)), "expected lists of rows that are there");
  return {as_span(offsets), as_span(members)};
}

}  // namespace cliquepool
