// Bindings of nn/readout. The caller provides the outputs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>

#include "nn/readout.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"
#include "python/rows.hpp"

namespace cliquepool {
namespace {

constexpr const char* kExpectedShapes = "expected starts from 0 to the number of rows, and twice their width";

// Returns whether these are the starts of the rows of each graph, + 1.
bool are_starts(const Offsets& starts, std::size_t rows) {
  return starts.size() > 0 && as_span(starts).front() == 0 && as_span(starts).back() == static_cast<Offset>(rows) &&
         is_ascending(as_span(starts));
}

// Checks that `where` has indices of rows, but for graphs without rows, where it is not read.
void expect_rows(const Offsets& starts, const Matrix<const Node>& where, std::size_t count) {
  for (std::size_t s = 0; s < where.shape(0); ++s)
    expect(as_span(starts)[s] == as_span(starts)[s + 1] || all_in_range(0, count, {rows(where)[s], where.shape(1)}),
           "expected rows that are there");
}

template <typename T>
void mean_max(const Offsets& starts, const Matrix<const T>& x, const Matrix<T>& y, const Matrix<Node>& where) {
  expect(starts.size() == y.shape(0) + 1 && are_starts(starts, x.shape(0)) && y.shape(1) == 2 * x.shape(1) &&
             where.shape(0) == y.shape(0) && where.shape(1) == x.shape(1),
         kExpectedShapes);
  const nb::gil_scoped_release release;
  mean_and_max<T>(as_span(starts), rows(x), rows(y), rows(where));
}

template <typename T>
void mean_max_backward(const Offsets& starts, const Matrix<const Node>& where, const Matrix<const T>& g,
                       const Matrix<T>& to) {
  expect(starts.size() == g.shape(0) + 1 && are_starts(starts, to.shape(0)) && g.shape(1) == 2 * to.shape(1) &&
             where.shape(0) == g.shape(0) && where.shape(1) == to.shape(1),
         kExpectedShapes);
  expect_rows(starts, where, to.shape(0));
  const nb::gil_scoped_release release;
  mean_and_max_backward<T>(as_span(starts), rows(where), rows(g), rows(to));
}

template <typename T>
void normalise(const Matrix<const T>& x, double epsilon, const Matrix<T>& y, const Vector<T>& divisor) {
  expect(x.shape(0) == y.shape(0) && x.shape(1) == y.shape(1) && divisor.size() == x.shape(0),
         "expected rows of equal width");
  const nb::gil_scoped_release release;
  relu_normalise<T>(rows(x), static_cast<T>(epsilon), rows(y), {divisor.data(), divisor.size()});
}

template <typename T>
void normalise_backward(const Matrix<const T>& y, const Vector<const T>& divisor, double epsilon,
                        const Matrix<const T>& g, const Matrix<T>& to) {
  expect(y.shape(0) == g.shape(0) && y.shape(1) == g.shape(1) && to.shape(0) == y.shape(0) &&
             to.shape(1) == y.shape(1) && divisor.size() == y.shape(0),
         "expected rows of equal width");
  const nb::gil_scoped_release release;
  relu_normalise_backward<T>(rows(y), {divisor.data(), divisor.size()}, static_cast<T>(epsilon), rows(g), rows(to));
}

// Returns whether `matrix` has a row for each graph, and 2 * `width` columns from column `first` on.
template <typename T>
bool has_readout(const Matrix<T>& matrix, std::size_t first, const Offsets& starts, std::size_t width) {
  return matrix.shape(0) + 1 == starts.size() && first <= matrix.shape(1) && matrix.shape(1) - first >= 2 * width;
}

template <typename T>
void normalise_readout(const Offsets& starts, const Matrix<T>& z, double epsilon, const Vector<T>& divisor,
                       const Matrix<T>& readout, std::size_t first, const Matrix<Node>& where) {
  const std::size_t width = z.shape(1);
  expect(are_starts(starts, z.shape(0)) && has_readout(readout, first, starts, width) && divisor.size() == z.shape(0) &&
             where.shape(0) == readout.shape(0) && where.shape(1) == width,
         kExpectedShapes);
  const nb::gil_scoped_release release;
  relu_normalise_readout<T>(as_span(starts), rows(z), static_cast<T>(epsilon), {divisor.data(), divisor.size()},
                            columns(readout, first, 2 * width), rows(where));
}

template <typename T>
void normalise_readout_backward(const Offsets& starts, const Matrix<const T>& y, const Vector<const T>& divisor,
                                double epsilon, const Matrix<const Node>& where, const Matrix<const T>& g,
                                std::size_t first, const Matrix<T>& to, const Vector<T>& sums) {
  const std::size_t width = y.shape(1);
  expect(are_starts(starts, y.shape(0)) && has_readout(g, first, starts, width) && divisor.size() == y.shape(0) &&
             where.shape(0) == g.shape(0) && where.shape(1) == width && to.shape(0) == y.shape(0) &&
             to.shape(1) == width && sums.size() == width,
         kExpectedShapes);
  expect_rows(starts, where, to.shape(0));
  const nb::gil_scoped_release release;
  relu_normalise_readout_backward<T>(as_span(starts), rows(y), {divisor.data(), divisor.size()},
                                     static_cast<T>(epsilon), rows(where), columns(g, first, 2 * width), rows(to),
                                     {sums.data(), sums.size()});
}

template <typename T>
void bind_for(nb::module_& module) {
  using namespace nb::literals;
  module.def("mean_and_max", &mean_max<T>, "starts"_a.noconvert(), "x"_a.noconvert(), "y"_a.noconvert(),
             "where"_a.noconvert());
  module.def("mean_and_max_backward", &mean_max_backward<T>, "starts"_a.noconvert(), "where"_a.noconvert(),
             "g"_a.noconvert(), "to"_a.noconvert());
  module.def("relu_normalise", &normalise<T>, "x"_a.noconvert(), "epsilon"_a, "y"_a.noconvert(),
             "divisor"_a.noconvert());
  module.def("relu_normalise_backward", &normalise_backward<T>, "y"_a.noconvert(), "divisor"_a.noconvert(), "epsilon"_a,
             "g"_a.noconvert(), "to"_a.noconvert());
  module.def("relu_normalise_readout", &normalise_readout<T>, "starts"_a.noconvert(), "z"_a.noconvert(), "epsilon"_a,
             "divisor"_a.noconvert(), "readout"_a.noconvert(), "first"_a, "where"_a.noconvert());
  module.def("relu_normalise_readout_backward", &normalise_readout_backward<T>, "starts"_a.noconvert(),
             "y"_a.noconvert(), "divisor"_a.noconvert(), "epsilon"_a, "where"_a.noconvert(), "g"_a.noconvert(),
             "first"_a, "to"_a.noconvert(), "sums"_a.noconvert());
}

}  // namespace

void bind_readout(nb::module_& module) {
  bind_for<float>(module);
  bind_for<double>(module);
}

}  // namespace cliquepool
