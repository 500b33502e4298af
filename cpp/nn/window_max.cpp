#include "nn/window_max.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "base/buffer.hpp"
#include "base/parallel.hpp"
#include "base/simd_dispatch.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kPixelsPerThread = 1 << 18;  // fewer do not repay a thread

// Vectors of neighbouring values, compared lane by lane. Their indices are integers of the same width, so that one mask
// selects both.
template <typename T>
struct Lanes {
  using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
#if defined(__GNUC__)
  static constexpr std::size_t kCount = 32 / sizeof(T);
  typedef T Values [[gnu::vector_size(32)]];
  typedef Index Indices [[gnu::vector_size(32)]];
#else
  static constexpr std::size_t kCount = 1;
  using Values = T;
  using Indices = Index;
#endif
};

// Returns whether any lane is not zero.
template <typename Mask>
CLIQUEPOOL_INLINE bool any(const Mask& mask) {
  std::uint64_t words[(sizeof(Mask) + 7) / 8] = {};
  std::memcpy(words, &mask, sizeof mask);
  std::uint64_t all = 0;
  for (const std::uint64_t word : words) all |= word;
  return all != 0;
}

// Variants of the loops: whether the image may contain NaN, and whether the indices of the maxima are computed.
struct With {
  bool nans;
  bool indices;
};

// Running maxima, one in each lane, and their indices.
template <typename T, With with>
class Largest {
 public:
  using Index = typename Lanes<T>::Index;

  CLIQUEPOOL_INLINE void load(const T* values, const Index* indices, std::size_t at) {
    std::memcpy(&values_, values + at, sizeof values_);
    if constexpr (with.indices) std::memcpy(&indices_, indices + at, sizeof indices_);
  }
  CLIQUEPOOL_INLINE void store(T* values, Index* indices, std::size_t at) const {
    std::memcpy(values + at, &values_, sizeof values_);
    if constexpr (with.indices) std::memcpy(indices + at, &indices_, sizeof indices_);
  }
  // `later` are maxima of pixels further on: where they are equal, this one stays; a NaN replaces it.
  CLIQUEPOOL_INLINE void update(const Largest& later) {
    if constexpr (with.nans) {
      const auto loses = (later.values_ > values_) | (later.values_ != later.values_);
      values_ = loses ? later.values_ : values_;
      if constexpr (with.indices) indices_ = loses ? later.indices_ : indices_;
    } else {
      const auto loses = later.values_ > values_;
      values_ = loses ? later.values_ : values_;
      if constexpr (with.indices) indices_ = loses ? later.indices_ : indices_;
    }
  }
  CLIQUEPOOL_INLINE void mark_nans(typename Lanes<T>::Indices& marks) const { marks |= values_ != values_; }

 private:
  typename Lanes<T>::Values values_;
  typename Lanes<T>::Indices indices_;
};

// Pools images one after another, in buffers that stay in the cache.
template <typename T>
class WindowMax {
 public:
  WindowMax(Sides image, Sides window, bool with_indices)
      : image_(image), window_(window), pooled_(pooled_sides(image, window)), with_indices_(with_indices) {
    // Whole registers are read and written: pad the rows, so that no register spans two rows of results.
    stride_ = std::max(image.width, (pooled_.width + kLanes - 1) / kLanes * kLanes);
    const std::size_t indices = image.depth * image.height * stride_;
    values_.assign(indices + window.width + 2 * kLanes, T{0});
    if (!with_indices) return;
    start_.assign(values_.size(), 0);
    for (std::size_t row = 0; row < image.depth * image.height; ++row) {
      Index* const first = start_.data() + row * stride_;
      std::iota(first, first + image.width, static_cast<Index>(row * image.width));
    }
    indices_.assign(values_.size(), 0);
  }

  void pool(const T* x, T* y, Node* where) { has_avx2() ? pool_avx2(x, y, where) : pool_here(x, y, where); }

 private:
  using Index = typename Lanes<T>::Index;
  using Mask = typename Lanes<T>::Indices;
  static constexpr std::size_t kLanes = Lanes<T>::kCount;
  static constexpr std::size_t kRegisters = 4;  // independent maxima, to hide the latency of a comparison
  static constexpr std::size_t kAtOnce = kRegisters * kLanes;

  CLIQUEPOOL_AVX2 void pool_avx2(const T* x, T* y, Node* where) { pool_here(x, y, where); }

  CLIQUEPOOL_INLINE void pool_here(const T* x, T* y, Node* where) {
    if (pooled_.size() == 1) {
      const std::size_t index = index_of_largest(x);
      *y = x[index];
      if (where) *where = static_cast<Node>(index);
      return;
    }
    copy_in(x);
    if (has_nan()) {
      with_indices_ ? pool_all<With{true, true}>() : pool_all<With{true, false}>();
    } else {
      with_indices_ ? pool_all<With{false, true}>() : pool_all<With{false, false}>();
    }
    copy_out(y, where);
  }

  // For a window as large as the image: finds the maximum first, then its index.
  CLIQUEPOOL_INLINE std::size_t index_of_largest(const T* x) const {
    const std::size_t size = image_.size();
    T largest = x[0];
    bool nans = false;
    std::size_t i = 0;
    if (size >= kAtOnce) {
      Largest<T, With{false, false}> lanes[kRegisters];
      Mask nans_of_lanes{};
      for (std::size_t k = 0; k < kRegisters; ++k) lanes[k].load(x, nullptr, 0);
      for (; i + kAtOnce <= size; i += kAtOnce) {
        for (std::size_t k = 0; k < kRegisters; ++k) {
          Largest<T, With{false, false}> later;
          later.load(x, nullptr, i + k * kLanes);
          lanes[k].update(later);
          later.mark_nans(nans_of_lanes);
        }
      }
      for (std::size_t k = 1; k < kRegisters; ++k) lanes[0].update(lanes[k]);
      T of_lanes[kLanes];
      lanes[0].store(of_lanes, nullptr, 0);
      for (const T value : of_lanes) largest = value > largest ? value : largest;
      nans = any(nans_of_lanes);
    }
    for (; i < size; ++i) {
      largest = x[i] > largest ? x[i] : largest;
      nans |= x[i] != x[i];
    }
    return nans ? last_nan(x) : first_equal(x, largest);
  }

  std::size_t last_nan(const T* x) const {
    std::size_t index = image_.size() - 1;
    while (x[index] == x[index]) --index;
    return index;
  }

  CLIQUEPOOL_INLINE std::size_t first_equal(const T* x, T wanted) const {
    std::size_t i = 0;
    for (; i + kAtOnce <= image_.size(); i += kAtOnce) {
      Mask found{};
      for (std::size_t k = 0; k < kRegisters; ++k) {
        typename Lanes<T>::Values values;
        std::memcpy(&values, x + i + k * kLanes, sizeof values);
        found |= values == wanted;
      }
      if (any(found)) break;
    }
    while (x[i] != wanted) ++i;
    return i;
  }

  CLIQUEPOOL_INLINE bool has_nan() const {
    Mask found{};
    for (std::size_t i = 0; i < image_.depth * image_.height * stride_; i += kLanes) {
      Largest<T, With{false, false}> here;
      here.load(values_.data(), nullptr, i);
      here.mark_nans(found);
    }
    return any(found);
  }

  void copy_in(const T* x) {
    const std::size_t rows = image_.depth * image_.height;
    if (stride_ == image_.width) {
      std::copy_n(x, rows * stride_, values_.data());
    } else {
      for (std::size_t row = 0; row < rows; ++row)
        std::copy_n(x + row * image_.width, image_.width, values_.data() + row * stride_);
    }
  }

  // Pools along rows first, then columns, then slices, so that the first of equals is the first in row-major order.
  template <With with>
  CLIQUEPOOL_INLINE void pool_all() {
    pool_rows<with>();
    const std::size_t slice = image_.height * stride_;
    for (std::size_t z = 0; z < image_.depth; ++z)
      pool_columns<with>(z * slice, image_.height, stride_, window_.height);
    for (std::size_t row = 0; row < pooled_.height; ++row)
      pool_columns<with>(row * stride_, image_.depth, slice, window_.depth);
  }

  // Pools all rows by doubling: windows of 2, 4, 8, ... pixels, and at last two that overlap. The rows are end to end;
  // windows that reach over the end of a row are never read.
  template <With with>
  CLIQUEPOOL_INLINE void pool_rows() {
    if constexpr (with.indices) {
      if (window_.width == 1) std::copy_n(start_.data(), start_.size(), indices_.data());
    }
    for (std::size_t covered = 1; covered < window_.width;) {
      const std::size_t step = std::min(covered, window_.width - covered);
      update_by_shifted<with>(covered == 1 ? start_.data() : indices_.data(), step);
      covered += step;
    }
  }

  // Updates every value by the one `step` further on.
  template <With with>
  CLIQUEPOOL_INLINE void update_by_shifted(const Index* from, std::size_t step) {
    const std::size_t size = image_.depth * image_.height * stride_;
    T* const values = values_.data();
    Index* const indices = indices_.data();
    for (std::size_t i = 0; i < size; i += kLanes) {
      Largest<T, with> here;
      Largest<T, with> further;
      here.load(values, from, i);
      further.load(values, from, i + step);
      here.update(further);
      here.store(values, indices, i);
    }
  }

  // Pools `count` rows, `stride` apart, by running maxima (van Herk; Gil and Werman): each window is the end of one
  // block of `window` rows, and the beginning of the next.
  template <With with>
  CLIQUEPOOL_INLINE void pool_columns(std::size_t first, std::size_t count, std::size_t stride, std::size_t window) {
    if (window == 1) return;
    for (std::size_t column = 0; column < pooled_.width; column += kLanes) {
      const auto load = [&](Largest<T, with>& into, std::size_t row) {
        into.load(values_.data(), indices_.data(), first + row * stride + column);
      };
      const auto store = [&](const Largest<T, with>& from, std::size_t row) {
        from.store(values_.data(), indices_.data(), first + row * stride + column);
      };
      for (std::size_t block = 0; block + window <= count; block += window) {
        const std::size_t next = block + window;
        Largest<T, with> end;
        load(end, next - 1);
        for (std::size_t row = next - 1; row-- > block;) {
          Largest<T, with> longer;
          load(longer, row);
          longer.update(end);
          store(longer, row);
          end = longer;
        }
        if (next == count) break;
        Largest<T, with> beginning;
        load(beginning, next);
        for (std::size_t row = block + 1;; ++row) {
          Largest<T, with> whole;
          load(whole, row);
          whole.update(beginning);
          store(whole, row);
          if (row + 1 == next || row + window == count) break;
          Largest<T, with> further;
          load(further, row + window);
          beginning.update(further);
        }
      }
    }
  }

  void copy_out(T* y, Node* where) const {
    for (std::size_t z = 0; z < pooled_.depth; ++z) {
      for (std::size_t row = 0; row < pooled_.height; ++row) {
        const std::size_t from = (z * image_.height + row) * stride_;
        const std::size_t to = (z * pooled_.height + row) * pooled_.width;
        std::copy_n(values_.data() + from, pooled_.width, y + to);
        if (!where) continue;
        for (std::size_t column = 0; column < pooled_.width; ++column)
          where[to + column] = static_cast<Node>(indices_[from + column]);
      }
    }
  }

  Sides image_;
  Sides window_;
  Sides pooled_;
  bool with_indices_;
  std::size_t stride_;     // from row to row in the buffers
  Buffer<T> values_;       // the pixels, then the maxima of their windows
  Buffer<Index> start_;    // the index of each pixel
  Buffer<Index> indices_;  // the index of each maximum
};

// Calls work(begin, end) for parts of [0, count) images, one on each thread.
template <typename Work>
void for_image_ranges(std::size_t count, std::size_t pixels, unsigned threads, const Work& work) {
  const std::size_t chunks =
      std::min<std::size_t>({std::max(threads, 1U), count * pixels / kPixelsPerThread + 1, count});
  if (chunks <= 1) return work(0, count);
  Budget unlimited;
  share_out(threads, chunks, unlimited,
            [&](unsigned, std::size_t chunk) { work(count * chunk / chunks, count * (chunk + 1) / chunks); });
}

}  // namespace

template <typename T>
void window_max(const T* x, std::size_t count, Sides image, Sides window, unsigned threads, T* y, Node* where) {
  assert(window.size() > 0 && window.depth <= image.depth && window.height <= image.height &&
         window.width <= image.width);
  const std::size_t pixels = image.size();
  const std::size_t windows = pooled_sides(image, window).size();
  for_image_ranges(count, pixels, threads, [&](std::size_t begin, std::size_t end) {
    WindowMax<T> pooler(image, window, where != nullptr);
    for (std::size_t i = begin; i < end; ++i)
      pooler.pool(x + i * pixels, y + i * windows, where ? where + i * windows : nullptr);
  });
}

template <typename T>
void window_max_backward(const Node* where, const T* g, std::size_t count, std::size_t pixels, std::size_t windows,
                         unsigned threads, T* to) {
  for_image_ranges(count, pixels, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      T* const gradient = to + i * pixels;
      for (std::size_t w = i * windows; w < (i + 1) * windows; ++w) gradient[idx(where[w])] += g[w];
    }
  });
}

#define CLIQUEPOOL_INSTANTIATE(T)                                                     \
  template void window_max(const T*, std::size_t, Sides, Sides, unsigned, T*, Node*); \
  template void window_max_backward(const Node*, const T*, std::size_t, std::size_t, std::size_t, unsigned, T*);
CLIQUEPOOL_INSTANTIATE(float)
CLIQUEPOOL_INSTANTIATE(double)
#undef CLIQUEPOOL_INSTANTIATE

}  // namespace cliquepool
