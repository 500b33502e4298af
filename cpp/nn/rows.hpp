// Matrices of feature rows, and the loops over them that several kernels share.
#pragma once

#include <cstddef>

#include "base/simd_dispatch.hpp"
#include "base/types.hpp"

namespace cliquepool {

// A row-major matrix, or some neighbouring columns of one. Does not own its memory.
template <typename T>
struct Rows {
  T* data;
  std::size_t count;
  std::size_t width;
  std::size_t stride = width;

  T* operator[](std::size_t row) const { return data + row * stride; }
};

// Updates the maximum of each feature, and the index of the row it is from, by one more row. NaN counts as the largest
// value; the first of equal values, or of several NaN, is kept.
template <typename T>
CLIQUEPOOL_INLINE void update_max(const T* CLIQUEPOOL_RESTRICT row, Node index, std::size_t width,
                                  T* CLIQUEPOOL_RESTRICT largest, Node* CLIQUEPOOL_RESTRICT where) {
  for (std::size_t f = 0; f < width; ++f) {
    const bool larger = !(row[f] <= largest[f]) && largest[f] == largest[f];
    largest[f] = larger ? row[f] : largest[f];
    where[f] = larger ? index : where[f];
  }
}

}  // namespace cliquepool
