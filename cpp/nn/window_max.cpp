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

constexpr std::size_t kPixelsPerChunk = 1 << 18;  // worth a thread

// Neighbouring values are compared together, lane by lane. Their places are integers of the same width, so that one
// mask chooses both.
template <typename T>
struct Lanes {
  using Place = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
#if defined(__GNUC__)
  static constexpr std::size_t kCount = 32 / sizeof(T);
  typedef T Values [[gnu::vector_size(32)]];
  typedef Place Places [[gnu::vector_size(32)]];
#else
  static constexpr std::size_t kCount = 1;
  using Values = T;
  using Places = Place;
#endif
};

// Whether a lane is not zero.
template <typename Mask>
CLIQUEPOOL_INLINE bool any(const Mask& mask) {
  std::uint64_t words[(sizeof(Mask) + 7) / 8] = {};
  std::memcpy(words, &mask, sizeof mask);
  std::uint64_t all = 0;
  for (const std::uint64_t word : words) all |= word;
  return all != 0;
}

// What is known of an image besides its pixels: whether a NaN may be among them, and whether places are wanted.
struct With {
  bool nans;
  bool places;
};

// The largest values seen so far, one in each lane, and where they are.
template <typename T, With with>
class Largest {
 public:
  using Place = typename Lanes<T>::Place;

  CLIQUEPOOL_INLINE void load(const T* values, const Place* places, std::size_t at) {
    std::memcpy(&values_, values + at, sizeof values_);
    if constexpr (with.places) std::memcpy(&places_, places + at, sizeof places_);
  }
  CLIQUEPOOL_INLINE void store(T* values, Place* places, std::size_t at) const {
    std::memcpy(values + at, &values_, sizeof values_);
    if constexpr (with.places) std::memcpy(places + at, &places_, sizeof places_);
  }
  // `later` covers pixels up to a later one than this does; so this wins where they are equal, and loses to a NaN.
  CLIQUEPOOL_INLINE void meet(const Largest& later) {
    if constexpr (with.nans) {
      const auto loses = (later.values_ > values_) | (later.values_ != later.values_);
      values_ = loses ? later.values_ : values_;
      if constexpr (with.places) places_ = loses ? later.places_ : places_;
    } else {
      const auto loses = later.values_ > values_;
      values_ = loses ? later.values_ : values_;
      if constexpr (with.places) places_ = loses ? later.places_ : places_;
    }
  }
  CLIQUEPOOL_INLINE void mark_nans(typename Lanes<T>::Places& marks) const { marks |= values_ != values_; }

 private:
  typename Lanes<T>::Values values_;
  typename Lanes<T>::Places places_;
};

// Pools one image after the other, in buffers that stay in the cache.
template <typename T>
class WindowMax {
 public:
  WindowMax(Sides image, Sides window, bool with_places)
      : image_(image), window_(window), pooled_(pooled_sides(image, window)), with_places_(with_places) {
    // Whole registers are read and written: a row of results must end in one of its own.
    stride_ = std::max(image.width, (pooled_.width + kLanes - 1) / kLanes * kLanes);
    const std::size_t places = image.depth * image.height * stride_;
    values_.assign(places + window.width + 2 * kLanes, T{0});
    if (!with_places) return;
    start_.assign(values_.size(), 0);
    for (std::size_t row = 0; row < image.depth * image.height; ++row) {
      Place* const first = start_.data() + row * stride_;
      std::iota(first, first + image.width, static_cast<Place>(row * image.width));
    }
    places_.assign(values_.size(), 0);
  }

  void pool(const T* x, T* y, Node* where) { has_wide_registers() ? pool_wide(x, y, where) : pool_here(x, y, where); }

 private:
  using Place = typename Lanes<T>::Place;
  using Mask = typename Lanes<T>::Places;
  static constexpr std::size_t kLanes = Lanes<T>::kCount;
  static constexpr std::size_t kRegisters = 4;  // compared at once, so that none waits for the one before
  static constexpr std::size_t kAtOnce = kRegisters * kLanes;

  CLIQUEPOOL_WIDE void pool_wide(const T* x, T* y, Node* where) { pool_here(x, y, where); }

  CLIQUEPOOL_INLINE void pool_here(const T* x, T* y, Node* where) {
    if (pooled_.size() == 1) {
      const std::size_t place = place_of_largest(x);
      *y = x[place];
      if (where) *where = static_cast<Node>(place);
      return;
    }
    copy_in(x);
    if (has_nan()) {
      with_places_ ? pool_all<With{true, true}>() : pool_all<With{true, false}>();
    } else {
      with_places_ ? pool_all<With{false, true}>() : pool_all<With{false, false}>();
    }
    copy_out(y, where);
  }

  // Of a window that is the whole image: first how large, then where.
  CLIQUEPOOL_INLINE std::size_t place_of_largest(const T* x) const {
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
          lanes[k].meet(later);
          later.mark_nans(nans_of_lanes);
        }
      }
      for (std::size_t k = 1; k < kRegisters; ++k) lanes[0].meet(lanes[k]);
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
    std::size_t place = image_.size() - 1;
    while (x[place] == x[place]) --place;
    return place;
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

  // Along rows first, then columns, then slices: so the first of equals is the first in row-major order.
  template <With with>
  CLIQUEPOOL_INLINE void pool_all() {
    pool_rows<with>();
    const std::size_t slice = image_.height * stride_;
    for (std::size_t z = 0; z < image_.depth; ++z)
      pool_columns<with>(z * slice, image_.height, stride_, window_.height);
    for (std::size_t row = 0; row < pooled_.height; ++row)
      pool_columns<with>(row * stride_, image_.depth, slice, window_.depth);
  }

  // The windows of all rows, by doubling: those of 2, 4, 8, ... pixels, and at last two that overlap. Rows lie end to
  // end; what reaches over the end of one is never looked at again.
  template <With with>
  CLIQUEPOOL_INLINE void pool_rows() {
    if constexpr (with.places) {
      if (window_.width == 1) std::copy_n(start_.data(), start_.size(), places_.data());
    }
    for (std::size_t covered = 1; covered < window_.width;) {
      const std::size_t step = std::min(covered, window_.width - covered);
      meet_shifted<with>(covered == 1 ? start_.data() : places_.data(), step);
      covered += step;
    }
  }

  // Every value meets the one that lies `step` further on.
  template <With with>
  CLIQUEPOOL_INLINE void meet_shifted(const Place* from, std::size_t step) {
    const std::size_t size = image_.depth * image_.height * stride_;
    T* const values = values_.data();
    Place* const places = places_.data();
    for (std::size_t i = 0; i < size; i += kLanes) {
      Largest<T, with> here;
      Largest<T, with> further;
      here.load(values, from, i);
      further.load(values, from, i + step);
      here.meet(further);
      here.store(values, places, i);
    }
  }

  // The windows of `window` among `count` rows that lie `stride` apart, by running maxima (van Herk, Gil and Werman):
  // a window begins in one block of `window` rows, as the end of it, and ends in the next one, as the beginning of it.
  template <With with>
  CLIQUEPOOL_INLINE void pool_columns(std::size_t first, std::size_t count, std::size_t stride, std::size_t window) {
    if (window == 1) return;
    for (std::size_t column = 0; column < pooled_.width; column += kLanes) {
      const auto load = [&](Largest<T, with>& into, std::size_t row) {
        into.load(values_.data(), places_.data(), first + row * stride + column);
      };
      const auto store = [&](const Largest<T, with>& from, std::size_t row) {
        from.store(values_.data(), places_.data(), first + row * stride + column);
      };
      for (std::size_t block = 0; block + window <= count; block += window) {
        const std::size_t next = block + window;
        Largest<T, with> end;
        load(end, next - 1);
        for (std::size_t row = next - 1; row-- > block;) {
          Largest<T, with> longer;
          load(longer, row);
          longer.meet(end);
          store(longer, row);
          end = longer;
        }
        if (next == count) break;
        Largest<T, with> beginning;
        load(beginning, next);
        for (std::size_t row = block + 1;; ++row) {
          Largest<T, with> whole;
          load(whole, row);
          whole.meet(beginning);
          store(whole, row);
          if (row + 1 == next || row + window == count) break;
          Largest<T, with> further;
          load(further, row + window);
          beginning.meet(further);
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
          where[to + column] = static_cast<Node>(places_[from + column]);
      }
    }
  }

  Sides image_;
  Sides window_;
  Sides pooled_;
  bool with_places_;
  std::size_t stride_;    // from row to row in the buffers
  Buffer<T> values_;      // the pixels, then what windows make of them
  Buffer<Place> start_;   // the place of each pixel
  Buffer<Place> places_;  // of each value
};

// Calls work(begin, end) for parts of [0, count) images.
template <typename Work>
void by_images(std::size_t count, std::size_t pixels, unsigned threads, const Work& work) {
  const std::size_t chunks =
      std::min<std::size_t>({std::max(threads, 1U), count * pixels / kPixelsPerChunk + 1, count});
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
  by_images(count, pixels, threads, [&](std::size_t begin, std::size_t end) {
    WindowMax<T> pooler(image, window, where != nullptr);
    for (std::size_t i = begin; i < end; ++i)
      pooler.pool(x + i * pixels, y + i * windows, where ? where + i * windows : nullptr);
  });
}

template <typename T>
void window_max_backward(const Node* where, const T* g, std::size_t count, std::size_t pixels, std::size_t windows,
                         unsigned threads, T* to) {
  by_images(count, pixels, threads, [&](std::size_t begin, std::size_t end) {
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
