#include "nn/list_reductions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/parallel.hpp"

#if defined(__GNUC__)
#define CLIQUEPOOL_UNROLL _Pragma("GCC unroll 16")
#else
#define CLIQUEPOOL_UNROLL
#endif

namespace cliquepool {

namespace {

constexpr std::size_t kBlock = 64;                    // features summed at once, in registers
constexpr std::size_t kAdditionsPerThread = 1 << 21;  // fewer do not repay a thread

// Calls work(begin, end) for parts of [0, rows), which together take `additions`, one on each thread.
template <typename Work>
void for_row_ranges(std::size_t rows, std::size_t additions, unsigned threads, const Work& work) {
  const std::size_t parts = std::min<std::size_t>({std::max(threads, 1U), additions / kAdditionsPerThread + 1, rows});
  if (parts <= 1) return work(0, rows);
  Budget unlimited;
  share_out(threads, parts, unlimited,
            [&](unsigned, std::size_t part) { work(rows * part / parts, rows * (part + 1) / parts); });
}

// Sums of `count` neighbouring features, kept in registers while the rows of a list are added.
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
CLIQUEPOOL_INLINE void sum_range(RaggedView lists, Rows<const T> x, const Scaling<T>& scaling, Rows<T> y,
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
CLIQUEPOOL_AVX2 void sum_range_avx2(RaggedView lists, Rows<const T> x, const Scaling<T>& scaling, Rows<T> y,
                                    std::size_t begin, std::size_t end) {
  sum_range(lists, x, scaling, y, begin, end);
}

template <typename T>
CLIQUEPOOL_INLINE void max_range(RaggedView lists, Rows<const T> x, Rows<T> y, Rows<Node> where, std::size_t begin,
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
    for (const Node j : list.subspan(1)) update_max(x[idx(j)], j, x.width, y[i], where[i]);
  }
}

template <typename T>
CLIQUEPOOL_AVX2 void max_range_avx2(RaggedView lists, Rows<const T> x, Rows<T> y, Rows<Node> where, std::size_t begin,
                                    std::size_t end) {
  max_range(lists, x, y, where, begin, end);
}

}  // namespace

template <typename T>
void sum_lists(RaggedView lists, Rows<const T> x, const Scaling<T>& scaling, unsigned threads, Rows<T> y) {
  for_row_ranges(y.count, (lists.members.size() + y.count) * x.width, threads, [&](std::size_t begin, std::size_t end) {
    has_avx2() ? sum_range_avx2(lists, x, scaling, y, begin, end) : sum_range(lists, x, scaling, y, begin, end);
  });
}

template <typename T>
void max_lists(RaggedView lists, Rows<const T> x, unsigned threads, Rows<T> y, Rows<Node> where) {
  for_row_ranges(y.count, lists.members.size() * x.width, threads, [&](std::size_t begin, std::size_t end) {
    has_avx2() ? max_range_avx2(lists, x, y, where, begin, end) : max_range(lists, x, y, where, begin, end);
  });
}

template <typename T>
void scatter(Rows<const Node> where, Rows<const T> g, Rows<T> to) {
  for (std::size_t i = 0; i < where.count; ++i)
    for (std::size_t f = 0; f < where.width; ++f)
      if (where[i][f] >= 0) to[idx(where[i][f])][f] += g[i][f];
}

#define CLIQUEPOOL_INSTANTIATE(T)                                                           \
  template void sum_lists(RaggedView, Rows<const T>, const Scaling<T>&, unsigned, Rows<T>); \
  template void max_lists(RaggedView, Rows<const T>, unsigned, Rows<T>, Rows<Node>);        \
  template void scatter(Rows<const Node>, Rows<const T>, Rows<T>);
CLIQUEPOOL_INSTANTIATE(float)
CLIQUEPOOL_INSTANTIATE(double)
#undef CLIQUEPOOL_INSTANTIATE

}  // namespace cliquepool
