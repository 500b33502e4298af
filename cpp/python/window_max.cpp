// Bindings of nn/window_max. The caller provides the outputs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>

#include "nn/window_max.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"

namespace cliquepool {
namespace {

// Images one after another: their number, then depth, height and width.
template <typename T>
using Images = nb::ndarray<T, nb::ndim<4>, nb::c_contig, nb::device::cpu>;
using Window = std::tuple<std::size_t, std::size_t, std::size_t>;

template <typename T>
Sides sides(const Images<T>& images) {
  return {images.shape(1), images.shape(2), images.shape(3)};
}

bool equal(Sides a, Sides b) { return a.depth == b.depth && a.height == b.height && a.width == b.width; }

template <typename T>
void pool(const Images<const T>& x, Window window, unsigned threads, const Images<T>& y,
          const std::optional<Images<Node>>& where) {
  const Sides image = sides(x);
  const Sides of{std::get<0>(window), std::get<1>(window), std::get<2>(window)};
  const auto fits = [](std::size_t side, std::size_t of_image) { return side >= 1 && side <= of_image; };
  expect(fits(of.depth, image.depth) && fits(of.height, image.height) && fits(of.width, image.width),
         "expected a window of at least 1 and at most the image along every side");
  expect(image.size() <= idx(kMaxNodes), "expected images of fewer than 2^31 pixels");
  const auto has_shape = [&](const auto& output) {
    return output.shape(0) == x.shape(0) && equal(sides(output), pooled_sides(image, of));
  };
  expect(has_shape(y) && (!where || has_shape(*where)), "expected one output for each window");
  const nb::gil_scoped_release release;
  window_max<T>(x.data(), x.shape(0), image, of, threads, y.data(), where ? where->data() : nullptr);
}

template <typename T>
void pool_backward(const Images<const Node>& where, const Images<const T>& g, unsigned threads, const Images<T>& to) {
  const std::size_t count = to.shape(0);
  const std::size_t pixels = sides(to).size();
  expect(where.shape(0) == count && g.shape(0) == count && equal(sides(where), sides(g)),
         "expected one index for each gradient");
  const bool in_range = std::all_of(where.data(), where.data() + where.size(),
                                    [&](Node index) { return index >= 0 && idx(index) < pixels; });
  expect(in_range, "expected indices that are in the image");
  const nb::gil_scoped_release release;
  window_max_backward<T>(where.data(), g.data(), count, pixels, sides(g).size(), threads, to.data());
}

template <typename T>
void bind_for(nb::module_& module) {
  using namespace nb::literals;
  module.def("window_max", &pool<T>, "x"_a.noconvert(), "window"_a, "threads"_a, "y"_a.noconvert(),
             "where"_a.noconvert().none());
  module.def("window_max_backward", &pool_backward<T>, "where"_a.noconvert(), "g"_a.noconvert(), "threads"_a,
             "to"_a.noconvert());
}

}  // namespace

void bind_window_max(nb::module_& module) {
  bind_for<float>(module);
  bind_for<double>(module);
}

}  // namespace cliquepool
