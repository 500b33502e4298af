// Matrices for the tests of kernels over feature rows.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "nn/rows.hpp"
#include "tests/naive.hpp"

namespace cliquepool::tests {

using naive::Random;

inline constexpr std::size_t kWidths[] = {0, 1, 3, 4, 5, 8, 16, 17, 63, 64, 65, 128, 200};

// A matrix that owns its rows; values that are never written stay NaN.
template <typename T>
struct Owned {
  std::size_t count;
  std::size_t width;
  std::vector<T> values;

  Owned(std::size_t count_, std::size_t width_, T value = std::numeric_limits<T>::quiet_NaN())
      : count(count_), width(width_), values(count_ * width_, value) {}
  Rows<T> rows() { return {values.data(), count, width}; }
  Rows<const T> read() const { return {values.data(), count, width}; }
  T at(std::size_t row, std::size_t column) const { return values[row * width + column]; }
};

template <typename T>
Owned<T> random_rows(std::size_t count, std::size_t width, Random& random) {
  Owned<T> made(count, width);
  std::normal_distribution<T> normal;
  for (T& value : made.values) value = normal(random);
  return made;
}

template <typename T>
std::vector<T> random_scale(std::size_t count, Random& random) {
  return random_rows<T>(count, 1, random).values;
}

// Compares with a tolerance for sums of numbers of this size.
template <typename T>
bool near(T a, double b, double size = 1) {
  const double tolerance = (sizeof(T) == 4 ? 1e-5 : 1e-13) * (1 + std::abs(b) + size);
  return std::abs(static_cast<double>(a) - b) <= tolerance;
}

}  // namespace cliquepool::tests
