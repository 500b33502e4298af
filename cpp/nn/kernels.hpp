// The inner loops of the layers: sums and maxima of feature rows over lists of rows, forward and backward.
// Every output row is written by one thread, so results do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace cliquepool {

// A row-major matrix, or some columns of one. Owns nothing.
template <typename T>
struct Rows {
  T* data;
  std::size_t count;
  std::size_t width;
  std::size_t stride = width;

  T* operator[](std::size_t row) const { return data + row * stride; }
};

// y[i] = list_scale[i] · (own · x[i] · row_scale[i] + Σ over j in lists[i] of values[ij] · row_scale[j] · x[j])
// Scales and values that are empty count as ones.
template <typename T>
struct Scaling {
  std::span<const T> list_scale;
  std::span<const T> row_scale;
  std::span<const T> values;
  T own = 0;
};

template <typename T>
void sum_lists(RaggedView lists, Rows<const T> x, const Scaling<T>& scaling, unsigned threads, Rows<T> y);

// y[i] = the largest of x[j], j in lists[i], feature by feature, and where it is: the first of equals.
// An empty list gives zeros and -1. NaN counts as the largest, as in torch.
template <typename T>
void max_lists(RaggedView lists, Rows<const T> x, unsigned threads, Rows<T> y, Rows<Node> where);

// Adds each g[i][f] to to[where[i][f]][f].
template <typename T>
void scatter(Rows<const Node> where, Rows<const T> g, Rows<T> to);

// y[s] = mean, then maximum, of the rows from starts[s] to starts[s + 1]; zeros where there are none.
template <typename T>
void mean_and_max(std::span<const Offset> starts, Rows<const T> x, Rows<T> y, Rows<Node> where);

// The gradient of mean_and_max with respect to x, written to every row of `to`.
template <typename T>
void mean_and_max_backward(std::span<const Offset> starts, Rows<const Node> where, Rows<const T> g, Rows<T> to);

// y = max(x, 0) divided by its length, row by row (by `epsilon` where it is shorter); `divisor` keeps what by.
template <typename T>
void rectify_and_normalise(Rows<const T> x, T epsilon, Rows<T> y, std::span<T> divisor);

template <typename T>
void rectify_and_normalise_backward(Rows<const T> y, std::span<const T> divisor, T epsilon, Rows<const T> g,
                                    Rows<T> to);

// Both in one pass, graph by graph: z becomes y of rectify_and_normalise, `read` gets mean_and_max of that.
template <typename T>
void rectify_and_read(std::span<const Offset> starts, Rows<T> z, T epsilon, std::span<T> divisor, Rows<T> read,
                      Rows<Node> where);

// Its gradient: `g` is that of `read`; `to` has what else flows to y, and becomes the gradient of z; `sums` becomes
// the sum of its rows.
template <typename T>
void rectify_and_read_backward(std::span<const Offset> starts, Rows<const T> y, std::span<const T> divisor, T epsilon,
                               Rows<const Node> where, Rows<const T> g, Rows<T> to, std::span<T> sums);

}  // namespace cliquepool
