// Sums and maxima of feature rows over lists of rows: the inner loops of convolutions and pools.
// Every output row is written by one thread, so results do not depend on the number of threads.
#pragma once

#include <span>

#include "base/types.hpp"
#include "nn/rows.hpp"

namespace cliquepool {

// y[i] = list_scale[i] · (own · x[i] · row_scale[i] + Σ over j in lists[i] of values[ij] · row_scale[j] · x[j])
// Empty scales and values count as ones.
template <typename T>
struct Scaling {
  std::span<const T> list_scale;
  std::span<const T> row_scale;
  std::span<const T> values;
  T own = 0;
};

template <typename T>
void sum_lists(RaggedView lists, Rows<const T> x, const Scaling<T>& scaling, unsigned threads, Rows<T> y);

// y[i] = the maximum of x[j] over j in lists[i], feature by feature; `where` gets its j, the first of equals.
// An empty list gives zeros and -1. NaN counts as the largest, as in torch.
template <typename T>
void max_lists(RaggedView lists, Rows<const T> x, unsigned threads, Rows<T> y, Rows<Node> where);

// Adds each g[i][f] to to[where[i][f]][f], where that is not negative: the gradient of max_lists.
template <typename T>
void scatter(Rows<const Node> where, Rows<const T> g, Rows<T> to);

}  // namespace cliquepool
