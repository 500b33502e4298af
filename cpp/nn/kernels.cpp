#include "nn/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/parallel.hpp"
#include "base/simd_dispatch.hpp"

#if defined(__GNUC__)
#define CLIQUEPOOL_UNROLL _Pragma("GCC unroll 16")
#else
#define CLIQUEPOOL_UNROLL
#endif

// Outputs never overlap inputs; said here, because loops over both vectorise only then.
#if defined(_MSC_VER)
#define CLIQUEPOOL_RESTRICT __restrict
#else
#define CLIQUEPOOL_RESTRICT __restrict__
#endif

namespace cliquepool {

namespace {

constexpr std::size_t kBlock = 64;              // features summed at a time: they fit into registers
constexpr std::size_t kWorthAThread = 1 << 21;  // additions

// Calls work(begin, end) for parts of [0, rows) that together take `additions`, one on each thread.
template <typename Work>
void by_rows(std::size_t rows, std::size_t additions, unsigned threads, const Work& work) {
  const std::size_t parts = std::min<std::size_t>({std::max(threads, 1U), additions / kWorthAThread + 1, rows});
  if (parts <= 1) return work(0, rows);
  Budget unlimited;
  share_out(threads, parts, unlimited,
            [&](unsigned, std::size_t part) { work(rows * part / parts, rows * (part + 1) / parts); });
}

// `count` neighbouring features of a row, kept in registers while a list is summed over.
template <typename T, std::size_t count>
class Block {
 public:
  CLIQUEPOOL_INLINE void add(const T* row) {
    CLIQUEPOOL_UNROLL
    for (std::size_t k = 0; k < kVectors; ++k) {
      Vector loaded;
      std::memcpy(&loaded, row + k * kLanes, sizeof loaded);
      sums_[k] += loaded;
    }
  }
  CLIQUEPOOL_INLINE void add(const T* row, T factor) {
    CLIQUEPOOL_UNROLL
    for (std::size_t k = 0; k < kVectors; ++k) {
      Vector loaded;
      std::memcpy(&loaded, row + k * kLanes, sizeof loaded);
      sums_[k] += factor * loaded;
    }
  }
  CLIQUEPOOL_INLINE void write(T* to, T factor) const {
    CLIQUEPOOL_UNROLL
    for (std::size_t k = 0; k < kVectors; ++k) {
      const Vector scaled = factor * sums_[k];
      std::memcpy(to + k * kLanes, &scaled, sizeof scaled);
    }
  }

 private:
#if defined(__GNUC__)
  static constexpr std::size_t kLanes = count * sizeof(T) < 32 ? count : 32 / sizeof(T);
  typedef T Vector [[gnu::vector_size(kLanes * sizeof(T))]];
#else
  static constexpr std::size_t kLanes = 1;
  using Vector = T;
#endif
  static constexpr std::size_t kVectors = count / kLanes;

  Vector sums_[kVectors] = {};
};

template <std::size_t width, typename T>
CLIQUEPOOL_INLINE void sum_list(std::span<const Node> list, const T* values, Rows<const T> x, const Scaling<T>& scaling,
                                std::size_t i, std::size_t first, T* y) {
  Block<T, width> sum;
  const T* const row_scale = scaling.row_scale.data();
  if (scaling.own != 0) sum.add(x[i] + first, row_scale ? scaling.own * row_scale[i] : scaling.own);
  if (values) {
    for (std::size_t e = 0; e < list.size(); ++e) {
      const std::size_t j = idx(list[e]);
      sum.add(x[j] + first, row_scale ? values[e] * row_scale[j] : values[e]);
    }
  } else if (row_scale) {
    for (const Node j : list) sum.add(x[idx(j)] + first, row_scale[idx(j)]);
  } else {
    for (const Node j : list) sum.add(x[idx(j)] + first);
  }
  sum.write(y, scaling.list_scale.empty() ? T{1} : scaling.list_scale[i]);
}

template <typename T>
CLIQUEPOOL_INLINE void sum_some(RaggedView lists, Rows<const T> x, const Scaling<T>& scaling, Rows<T> y,
                                std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto list = lists[static_cast<Offset>(i)];
    const T* const values = scaling.values.empty() ? nullptr : scaling.values.data() + lists.offsets[i];
    std::size_t first = 0;
    for (; first + kBlock <= x.width; first += kBlock)
      sum_list<kBlock>(list, values, x, scaling, i, first, y[i] + first);
    for (; first + 16 <= x.width; first += 16) sum_list<16>(list, values, x, scaling, i, first, y[i] + first);
    for (; first + 4 <= x.width; first += 4) sum_list<4>(list, values, x, scaling, i, first, y[i] + first);
    for (; first < x.width; ++first) sum_list<1>(list, values, x, scaling, i, first, y[i] + first);
  }
}

template <typename T>
CLIQUEPOOL_WIDE void sum_some_wide(RaggedView lists, Rows<const T> x, const Scaling<T>& scaling, Rows<T> y,
                                   std::size_t begin, std::size_t end) {
  sum_some(lists, x, scaling, y, begin, end);
}

// The larger of each pair, and whose it is; a NaN stays once it is there.
template <typename T>
CLIQUEPOOL_INLINE void keep_larger(const T* CLIQUEPOOL_RESTRICT row, Node from, std::size_t width,
                                   T* CLIQUEPOOL_RESTRICT largest, Node* CLIQUEPOOL_RESTRICT where) {
  for (std::size_t f = 0; f < width; ++f) {
    const bool larger = !(row[f] <= largest[f]) && largest[f] == largest[f];
    largest[f] = larger ? row[f] : largest[f];
    where[f] = larger ? from : where[f];
  }
}

template <typename T>
CLIQUEPOOL_INLINE void max_some(RaggedView lists, Rows<const T> x, Rows<T> y, Rows<Node> where, std::size_t begin,
                                std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const auto list = lists[static_cast<Offset>(i)];
    if (list.empty()) {
      std::fill_n(y[i], x.width, T{0});
      std::fill_n(where[i], x.width, Node{-1});
      continue;
    }
    std::copy_n(x[idx(list.front())], x.width, y[i]);
    std::fill_n(where[i], x.width, list.front());
    for (const Node j : list.subspan(1)) keep_larger(x[idx(j)], j, x.width, y[i], where[i]);
  }
}

template <typename T>
CLIQUEPOOL_WIDE void max_some_wide(RaggedView lists, Rows<const T> x, Rows<T> y, Rows<Node> where, std::size_t begin,
                                   std::size_t end) {
  max_some(lists, x, y, where, begin, end);
}

// The mean, then the maximum, of the rows from `begin` to `end`.
template <typename T>
CLIQUEPOOL_INLINE void read_rows(Rows<const T> x, std::size_t begin, std::size_t end, T* CLIQUEPOOL_RESTRICT mean,
                                 Node* CLIQUEPOOL_RESTRICT where) {
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
    keep_larger(row, static_cast<Node>(i), width, largest, where);
  }
  const T share = T{1} / static_cast<T>(end - begin);
  for (std::size_t f = 0; f < width; ++f) mean[f] *= share;
}

template <typename T>
CLIQUEPOOL_INLINE void mean_and_max_of(std::span<const Offset> starts, Rows<const T> x, Rows<T> y, Rows<Node> where) {
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) read_rows(x, idx(starts[s]), idx(starts[s + 1]), y[s], where[s]);
}

template <typename T>
CLIQUEPOOL_WIDE void mean_and_max_wide(std::span<const Offset> starts, Rows<const T> x, Rows<T> y, Rows<Node> where) {
  mean_and_max_of(starts, x, y, where);
}

// Sums in eight lanes, so that they vectorise without reordering rules being given up elsewhere.
template <typename T, typename Term>
CLIQUEPOOL_INLINE T sum_of(std::size_t width, const Term& term) {
  T lanes[8] = {};
  std::size_t f = 0;
  for (; f + 8 <= width; f += 8)
    for (std::size_t k = 0; k < 8; ++k) lanes[k] += term(f + k);
  for (; f < width; ++f) lanes[0] += term(f);
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// Returns what the row was divided by.
template <typename T>
CLIQUEPOOL_INLINE T rectify_row(T* row, std::size_t width, T epsilon) {
  // Not std::max: a NaN must come through.
  for (std::size_t f = 0; f < width; ++f) row[f] = row[f] < T{0} ? T{0} : row[f];
  const T length = std::sqrt(sum_of<T>(width, [row](std::size_t f) { return row[f] * row[f]; }));
  const T divisor = length < epsilon ? epsilon : length;
  const T scale = T{1} / divisor;
  for (std::size_t f = 0; f < width; ++f) row[f] *= scale;
  return divisor;
}

template <typename T>
CLIQUEPOOL_INLINE void rectify_all(Rows<const T> x, T epsilon, Rows<T> y, std::span<T> divisor) {
  for (std::size_t i = 0; i < x.count; ++i) {
    std::copy_n(x[i], x.width, y[i]);
    divisor[i] = rectify_row(y[i], y.width, epsilon);
  }
}

template <typename T>
CLIQUEPOOL_WIDE void rectify_all_wide(Rows<const T> x, T epsilon, Rows<T> y, std::span<T> divisor) {
  rectify_all(x, epsilon, y, divisor);
}

// The gradient of a rectified row becomes that of what it was before.
template <typename T>
CLIQUEPOOL_INLINE void rectify_row_back(const T* CLIQUEPOOL_RESTRICT row, T divisor, T epsilon, std::size_t width,
                                        T* CLIQUEPOOL_RESTRICT gradient) {
  const T along =
      divisor > epsilon ? sum_of<T>(width, [row, gradient](std::size_t f) { return row[f] * gradient[f]; }) : T{0};
  const T scale = T{1} / divisor;
  for (std::size_t f = 0; f < width; ++f) {
    const T across = (gradient[f] - along * row[f]) * scale;
    gradient[f] = row[f] > T{0} ? across : T{0};
  }
}

template <typename T>
CLIQUEPOOL_INLINE void rectify_back(Rows<const T> y, std::span<const T> divisor, T epsilon, Rows<const T> g,
                                    Rows<T> to) {
  for (std::size_t i = 0; i < y.count; ++i) {
    std::copy_n(g[i], y.width, to[i]);
    rectify_row_back(y[i], divisor[i], epsilon, y.width, to[i]);
  }
}

template <typename T>
CLIQUEPOOL_WIDE void rectify_back_wide(Rows<const T> y, std::span<const T> divisor, T epsilon, Rows<const T> g,
                                       Rows<T> to) {
  rectify_back(y, divisor, epsilon, g, to);
}

template <typename T>
CLIQUEPOOL_INLINE void rectify_and_read_all(std::span<const Offset> starts, Rows<T> z, T epsilon, std::span<T> divisor,
                                            Rows<T> read, Rows<Node> where) {
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::size_t begin = idx(starts[s]);
    const std::size_t end = idx(starts[s + 1]);
    for (std::size_t i = begin; i < end; ++i) divisor[i] = rectify_row(z[i], z.width, epsilon);
    read_rows<T>({z.data, z.count, z.width}, begin, end, read[s], where[s]);
  }
}

template <typename T>
CLIQUEPOOL_WIDE void rectify_and_read_wide(std::span<const Offset> starts, Rows<T> z, T epsilon, std::span<T> divisor,
                                           Rows<T> read, Rows<Node> where) {
  rectify_and_read_all(starts, z, epsilon, divisor, read, where);
}

template <typename T>
CLIQUEPOOL_INLINE void rectify_and_read_back(std::span<const Offset> starts, Rows<const T> y,
                                             std::span<const T> divisor, T epsilon, Rows<const Node> where,
                                             Rows<const T> g, Rows<T> to, std::span<T> sums) {
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
      rectify_row_back(y[i], divisor[i], epsilon, width, to[i]);
      for (std::size_t f = 0; f < width; ++f) sum[f] += row[f];
    }
  }
}

template <typename T>
CLIQUEPOOL_WIDE void rectify_and_read_back_wide(std::span<const Offset> starts, Rows<const T> y,
                                                std::span<const T> divisor, T epsilon, Rows<const Node> where,
                                                Rows<const T> g, Rows<T> to, std::span<T> sums) {
  rectify_and_read_back(starts, y, divisor, epsilon, where, g, to, sums);
}

}  // namespace

template <typename T>
void sum_lists(RaggedView lists, Rows<const T> x, const Scaling<T>& scaling, unsigned threads, Rows<T> y) {
  by_rows(y.count, (lists.members.size() + y.count) * x.width, threads, [&](std::size_t begin, std::size_t end) {
    has_wide_registers() ? sum_some_wide(lists, x, scaling, y, begin, end) : sum_some(lists, x, scaling, y, begin, end);
  });
}

template <typename T>
void max_lists(RaggedView lists, Rows<const T> x, unsigned threads, Rows<T> y, Rows<Node> where) {
  by_rows(y.count, lists.members.size() * x.width, threads, [&](std::size_t begin, std::size_t end) {
    has_wide_registers() ? max_some_wide(lists, x, y, where, begin, end) : max_some(lists, x, y, where, begin, end);
  });
}

template <typename T>
void scatter(Rows<const Node> where, Rows<const T> g, Rows<T> to) {
  for (std::size_t i = 0; i < where.count; ++i)
    for (std::size_t f = 0; f < where.width; ++f)
      if (where[i][f] >= 0) to[idx(where[i][f])][f] += g[i][f];
}

template <typename T>
void mean_and_max(std::span<const Offset> starts, Rows<const T> x, Rows<T> y, Rows<Node> where) {
  has_wide_registers() ? mean_and_max_wide(starts, x, y, where) : mean_and_max_of(starts, x, y, where);
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
    // Safe although to[begin] was the pattern: it is copied from no more.
    for (std::size_t f = 0; f < width; ++f) to[idx(where[s][f])][f] += g[s][width + f];
  }
}

template <typename T>
void rectify_and_normalise(Rows<const T> x, T epsilon, Rows<T> y, std::span<T> divisor) {
  has_wide_registers() ? rectify_all_wide(x, epsilon, y, divisor) : rectify_all(x, epsilon, y, divisor);
}

template <typename T>
void rectify_and_normalise_backward(Rows<const T> y, std::span<const T> divisor, T epsilon, Rows<const T> g,
                                    Rows<T> to) {
  has_wide_registers() ? rectify_back_wide(y, divisor, epsilon, g, to) : rectify_back(y, divisor, epsilon, g, to);
}

template <typename T>
void rectify_and_read(std::span<const Offset> starts, Rows<T> z, T epsilon, std::span<T> divisor, Rows<T> read,
                      Rows<Node> where) {
  has_wide_registers() ? rectify_and_read_wide(starts, z, epsilon, divisor, read, where)
                       : rectify_and_read_all(starts, z, epsilon, divisor, read, where);
}

template <typename T>
void rectify_and_read_backward(std::span<const Offset> starts, Rows<const T> y, std::span<const T> divisor, T epsilon,
                               Rows<const Node> where, Rows<const T> g, Rows<T> to, std::span<T> sums) {
  has_wide_registers() ? rectify_and_read_back_wide(starts, y, divisor, epsilon, where, g, to, sums)
                       : rectify_and_read_back(starts, y, divisor, epsilon, where, g, to, sums);
}

#define CLIQUEPOOL_INSTANTIATE(T)                                                                             \
  template void sum_lists(RaggedView, Rows<const T>, const Scaling<T>&, unsigned, Rows<T>);                   \
  template void max_lists(RaggedView, Rows<const T>, unsigned, Rows<T>, Rows<Node>);                          \
  template void scatter(Rows<const Node>, Rows<const T>, Rows<T>);                                            \
  template void mean_and_max(std::span<const Offset>, Rows<const T>, Rows<T>, Rows<Node>);                    \
  template void mean_and_max_backward(std::span<const Offset>, Rows<const Node>, Rows<const T>, Rows<T>);     \
  template void rectify_and_normalise(Rows<const T>, T, Rows<T>, std::span<T>);                               \
  template void rectify_and_normalise_backward(Rows<const T>, std::span<const T>, T, Rows<const T>, Rows<T>); \
  template void rectify_and_read(std::span<const Offset>, Rows<T>, T, std::span<T>, Rows<T>, Rows<Node>);     \
  template void rectify_and_read_backward(std::span<const Offset>, Rows<const T>, std::span<const T>, T,      \
                                          Rows<const Node>, Rows<const T>, Rows<T>, std::span<T>);
CLIQUEPOOL_INSTANTIATE(float)
CLIQUEPOOL_INSTANTIATE(double)
#undef CLIQUEPOOL_INSTANTIATE

}  // namespace cliquepool
