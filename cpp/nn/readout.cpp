#include "nn/readout.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace cliquepool {

namespace {

// Writes the mean, then the maximum, of the rows from `begin` to `end`.
template <typename T>
CLIQUEPOOL_INLINE void mean_and_max_of_rows(Rows<const T> x, std::size_t begin, std::size_t end,
                                            T* CLIQUEPOOL_RESTRICT mean, Node* CLIQUEPOOL_RESTRICT where) {
  const std::size_t width = x.width;
  T* const CLIQUEPOOL_RESTRICT largest = mean + width;
  if (begin == end) {
    std::fill_n(mean, 2 * width, T{0});
    std::fill_n(where, width, Node{-1});
    return;
  }
  std::copy_n(x[begin], width, mean);
  std::copy_n(x[begin], width, largest);
  std::fill_n(where, width, static_cast<Node>(begin));
  for (std::size_t i = begin + 1; i < end; ++i) {
    const T* const CLIQUEPOOL_RESTRICT row = x[i];
    for (std::size_t f = 0; f < width; ++f) mean[f] += row[f];
    update_max(row, static_cast<Node>(i), width, largest, where);
  }
  const T share = T{1} / static_cast<T>(end - begin);
  for (std::size_t f = 0; f < width; ++f) mean[f] *= share;
}

template <typename T>
CLIQUEPOOL_INLINE void mean_and_max_of_graphs(std::span<const Offset> starts, Rows<const T> x, Rows<T> y,
                                              Rows<Node> where) {
  for (std::size_t s = 0; s + 1 < starts.size(); ++s)
    mean_and_max_of_rows(x, idx(starts[s]), idx(starts[s + 1]), y[s], where[s]);
}

template <typename T>
CLIQUEPOOL_AVX2 void mean_and_max_of_graphs_avx2(std::span<const Offset> starts, Rows<const T> x, Rows<T> y,
                                                 Rows<Node> where) {
  mean_and_max_of_graphs(starts, x, y, where);
}

// Sums in eight lanes: a fixed order that vectorises without -ffast-math.
template <typename T, typename Term>
CLIQUEPOOL_INLINE T sum_in_lanes(std::size_t width, const Term& term) {
  T lanes[8] = {};
  std::size_t f = 0;
  for (; f + 8 <= width; f += 8)
    for (std::size_t k = 0; k < 8; ++k) lanes[k] += term(f + k);
  for (; f < width; ++f) lanes[0] += term(f);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// Returns the divisor.
template <typename T>
CLIQUEPOOL_INLINE T relu_normalise_row(T* row, std::size_t width, T epsilon) {
  // Not std::max, which would replace a NaN by 0.
  for (std::size_t f = 0; f < width; ++f) row[f] = row[f] < T{0} ? T{0} : row[f];
  const T norm = std::sqrt(sum_in_lanes<T>(width, [row](std::size_t f) { return row[f] * row[f]; }));
  const T divisor = norm < epsilon ? epsilon : norm;
  const T scale = T{1} / divisor;
  for (std::size_t f = 0; f < width; ++f) row[f] *= scale;
  return divisor;
}

template <typename T>
CLIQUEPOOL_INLINE void normalise_rows(Rows<const T> x, T epsilon, Rows<T> y, std::span<T> divisor) {
  for (std::size_t i = 0; i < x.count; ++i) {
    std::copy_n(x[i], x.width, y[i]);
    divisor[i] = relu_normalise_row(y[i], y.width, epsilon);
  }
}

template <typename T>
CLIQUEPOOL_AVX2 void normalise_rows_avx2(Rows<const T> x, T epsilon, Rows<T> y, std::span<T> divisor) {
  normalise_rows(x, epsilon, y, divisor);
}

// Replaces the gradient of a normalised row by the gradient of the row before ReLU and normalisation.
template <typename T>
CLIQUEPOOL_INLINE void normalise_row_backward(const T* CLIQUEPOOL_RESTRICT row, T divisor, T epsilon, std::size_t width,
                                              T* CLIQUEPOOL_RESTRICT gradient) {
  const T along = divisor > epsilon
                      ? sum_in_lanes<T>(width, [row, gradient](std::size_t f) { return row[f] * gradient[f]; })
                      : T{0};
  const T scale = T{1} / divisor;
  for (std::size_t f = 0; f < width; ++f) {
    const T across = (gradient[f] - along * row[f]) * scale;
    gradient[f] = row[f] > T{0} ? across : T{0};
  }
}

template <typename T>
CLIQUEPOOL_INLINE void normalise_gradients(Rows<const T> y, std::span<const T> divisor, T epsilon, Rows<const T> g,
                                           Rows<T> to) {
  for (std::size_t i = 0; i < y.count; ++i) {
    std::copy_n(g[i], y.width, to[i]);
    normalise_row_backward(y[i], divisor[i], epsilon, y.width, to[i]);
  }
}

template <typename T>
CLIQUEPOOL_AVX2 void normalise_gradients_avx2(Rows<const T> y, std::span<const T> divisor, T epsilon, Rows<const T> g,
                                              Rows<T> to) {
  normalise_gradients(y, divisor, epsilon, g, to);
}

template <typename T>
CLIQUEPOOL_INLINE void readout_rows(std::span<const Offset> starts, Rows<T> z, T epsilon, std::span<T> divisor,
                                    Rows<T> readout, Rows<Node> where) {
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::size_t begin = idx(starts[s]);
    const std::size_t end = idx(starts[s + 1]);
    for (std::size_t i = begin; i < end; ++i) divisor[i] = relu_normalise_row(z[i], z.width, epsilon);
    mean_and_max_of_rows<T>({z.data, z.count, z.width}, begin, end, readout[s], where[s]);
  }
}

template <typename T>
CLIQUEPOOL_AVX2 void readout_rows_avx2(std::span<const Offset> starts, Rows<T> z, T epsilon, std::span<T> divisor,
                                       Rows<T> readout, Rows<Node> where) {
  readout_rows(starts, z, epsilon, divisor, readout, where);
}

template <typename T>
CLIQUEPOOL_INLINE void readout_gradients(std::span<const Offset> starts, Rows<const T> y, std::span<const T> divisor,
                                         T epsilon, Rows<const Node> where, Rows<const T> g, Rows<T> to,
                                         std::span<T> sums) {
  const std::size_t width = y.width;
  T* const CLIQUEPOOL_RESTRICT sum = sums.data();
  std::fill_n(sum, width, T{0});
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::size_t begin = idx(starts[s]);
    const std::size_t end = idx(starts[s + 1]);
    if (begin == end) continue;
    const T share = T{1} / static_cast<T>(end - begin);
    const T* const CLIQUEPOOL_RESTRICT of_mean = g[s];
    for (std::size_t i = begin; i < end; ++i) {
      T* const CLIQUEPOOL_RESTRICT row = to[i];
      for (std::size_t f = 0; f < width; ++f) row[f] += of_mean[f] * share;
    }
    for (std::size_t f = 0; f < width; ++f) to[idx(where[s][f])][f] += of_mean[width + f];
    for (std::size_t i = begin; i < end; ++i) {
      const T* const CLIQUEPOOL_RESTRICT row = to[i];
      normalise_row_backward(y[i], divisor[i], epsilon, width, to[i]);
      for (std::size_t f = 0; f < width; ++f) sum[f] += row[f];
    }
  }
}

template <typename T>
CLIQUEPOOL_AVX2 void readout_gradients_avx2(std::span<const Offset> starts, Rows<const T> y, std::span<const T> divisor,
                                            T epsilon, Rows<const Node> where, Rows<const T> g, Rows<T> to,
                                            std::span<T> sums) {
  readout_gradients(starts, y, divisor, epsilon, where, g, to, sums);
}

}  // namespace

template <typename T>
void mean_and_max(std::span<const Offset> starts, Rows<const T> x, Rows<T> y, Rows<Node> where) {
  has_avx2() ? mean_and_max_of_graphs_avx2(starts, x, y, where) : mean_and_max_of_graphs(starts, x, y, where);
}

template <typename T>
void mean_and_max_backward(std::span<const Offset> starts, Rows<const Node> where, Rows<const T> g, Rows<T> to) {
  const std::size_t width = to.width;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::size_t begin = idx(starts[s]);
    const std::size_t end = idx(starts[s + 1]);
    if (begin == end) continue;
    const T share = T{1} / static_cast<T>(end - begin);
    for (std::size_t f = 0; f < width; ++f) to[begin][f] = g[s][f] * share;
    for (std::size_t i = begin + 1; i < end; ++i) std::copy_n(to[begin], width, to[i]);
    // After the copies above: to[begin] is their source.
    for (std::size_t f = 0; f < width; ++f) to[idx(where[s][f])][f] += g[s][width + f];
  }
}

template <typename T>
void relu_normalise(Rows<const T> x, T epsilon, Rows<T> y, std::span<T> divisor) {
  has_avx2() ? normalise_rows_avx2(x, epsilon, y, divisor) : normalise_rows(x, epsilon, y, divisor);
}

template <typename T>
void relu_normalise_backward(Rows<const T> y, std::span<const T> divisor, T epsilon, Rows<const T> g, Rows<T> to) {
  has_avx2() ? normalise_gradients_avx2(y, divisor, epsilon, g, to) : normalise_gradients(y, divisor, epsilon, g, to);
}

template <typename T>
void relu_normalise_readout(std::span<const Offset> starts, Rows<T> z, T epsilon, std::span<T> divisor, Rows<T> readout,
                            Rows<Node> where) {
  has_avx2() ? readout_rows_avx2(starts, z, epsilon, divisor, readout, where)
             : readout_rows(starts, z, epsilon, divisor, readout, where);
}

template <typename T>
void relu_normalise_readout_backward(std::span<const Offset> starts, Rows<const T> y, std::span<const T> divisor,
                                     T epsilon, Rows<const Node> where, Rows<const T> g, Rows<T> to,
                                     std::span<T> sums) {
  has_avx2() ? readout_gradients_avx2(starts, y, divisor, epsilon, where, g, to, sums)
             : readout_gradients(starts, y, divisor, epsilon, where, g, to, sums);
}

#define CLIQUEPOOL_INSTANTIATE(T)                                                                               \
  template void mean_and_max(std::span<const Offset>, Rows<const T>, Rows<T>, Rows<Node>);                      \
  template void mean_and_max_backward(std::span<const Offset>, Rows<const Node>, Rows<const T>, Rows<T>);       \
  template void relu_normalise(Rows<const T>, T, Rows<T>, std::span<T>);                                        \
  template void relu_normalise_backward(Rows<const T>, std::span<const T>, T, Rows<const T>, Rows<T>);          \
  template void relu_normalise_readout(std::span<const Offset>, Rows<T>, T, std::span<T>, Rows<T>, Rows<Node>); \
  template void relu_normalise_readout_backward(std::span<const Offset>, Rows<const T>, std::span<const T>, T,  \
                                                Rows<const Node>, Rows<const T>, Rows<T>, std::span<T>);
CLIQUEPOOL_INSTANTIATE(float)
CLIQUEPOOL_INSTANTIATE(double)
#undef CLIQUEPOOL_INSTANTIATE

}  // namespace cliquepool
