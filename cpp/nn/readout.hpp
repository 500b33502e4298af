// Readouts: mean and maximum over the rows of each graph, ReLU with L2 normalisation, and both in one pass.
#pragma once

#include <span>

#include "base/types.hpp"
#include "nn/rows.hpp"

namespace cliquepool {

// y[s] = the mean, then the maximum, of the rows from starts[s] to starts[s + 1]; zeros if there are none. `where` gets
// the rows of the maxima, or -1.
template <typename T>
void mean_and_max(std::span<const Offset> starts, Rows<const T> x, Rows<T> y, Rows<Node> where);

// Writes the gradient of mean_and_max with respect to x to every row of `to`.
template <typename T>
void mean_and_max_backward(std::span<const Offset> starts, Rows<const Node> where, Rows<const T> g, Rows<T> to);

// y = ReLU(x), each row divided by its L2 norm, or by `epsilon` if the norm is smaller; `divisor` gets the divisors.
template <typename T>
void relu_normalise(Rows<const T> x, T epsilon, Rows<T> y, std::span<T> divisor);

template <typename T>
void relu_normalise_backward(Rows<const T> y, std::span<const T> divisor, T epsilon, Rows<const T> g, Rows<T> to);

// Both in one pass, graph by graph: replaces z by relu_normalise of it, and writes mean_and_max of that to `readout`.
template <typename T>
void relu_normalise_readout(std::span<const Offset> starts, Rows<T> z, T epsilon, std::span<T> divisor, Rows<T> readout,
                            Rows<Node> where);

// The gradient of relu_normalise_readout. `g` is the gradient of the readout; `to` has the gradient of y from
// elsewhere, and becomes the gradient of z; `sums` becomes the sum of its rows.
template <typename T>
void relu_normalise_readout_backward(std::span<const Offset> starts, Rows<const T> y, std::span<const T> divisor,
                                     T epsilon, Rows<const Node> where, Rows<const T> g, Rows<T> to, std::span<T> sums);

}  // namespace cliquepool
