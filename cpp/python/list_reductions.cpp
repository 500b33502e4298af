// Bindings of nn/list_reductions. The caller provides the outputs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <span>

#include "nn/list_reductions.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"
#include "python/rows.hpp"

namespace cliquepool {
namespace {

template <typename T>
std::span<const T> values_or_none(const std::optional<Vector<const T>>& vector) {
  return vector ? std::span<const T>(vector->data(), vector->size()) : std::span<const T>();
}

template <typename T>
void sum(const Offsets& offsets, const Nodes& members, const Matrix<const T>& x,
         const std::optional<Vector<const T>>& list_scale, const std::optional<Vector<const T>>& row_scale,
         const std::optional<Vector<const T>>& values, double own, unsigned threads, const Matrix<T>& y) {
  const RaggedView lists = lists_of(offsets, members, y.shape(0), x.shape(0));
  expect(x.shape(1) == y.shape(1) && (own == 0 || x.shape(0) == y.shape(0)), "expected rows of equal width");
  const Scaling<T> scaling{values_or_none(list_scale), values_or_none(row_scale), values_or_none(values),
                           static_cast<T>(own)};
  expect((!list_scale || list_scale->size() == y.shape(0)) && (!row_scale || row_scale->size() == x.shape(0)) &&
             (!values || values->size() == members.size()),
         "expected one scale for each row");
  const nb::gil_scoped_release release;
  sum_lists<T>(lists, rows(x), scaling, threads, rows(y));
}

template <typename T>
void max(const Offsets& offsets, const Nodes& members, const Matrix<const T>& x, unsigned threads, const Matrix<T>& y,
         const Matrix<Node>& where) {
  const RaggedView lists = lists_of(offsets, members, y.shape(0), x.shape(0));
  expect(x.shape(1) == y.shape(1) && where.shape(0) == y.shape(0) && where.shape(1) == y.shape(1),
         "expected rows of equal width");
  const nb::gil_scoped_release release;
  max_lists<T>(lists, rows(x), threads, rows(y), rows(where));
}

template <typename T>
void scatter_rows(const Matrix<const Node>& where, const Matrix<const T>& g, const Matrix<T>& to) {
  expect(where.shape(0) == g.shape(0) && where.shape(1) == g.shape(1) && g.shape(1) == to.shape(1),
         "expected rows of equal width");
  expect(all_in_range(-1, to.shape(0), {where.data(), where.size()}), "expected rows that are there");
  const nb::gil_scoped_release release;
  scatter<T>(rows(where), rows(g), rows(to));
}

template <typename T>
void bind_for(nb::module_& module) {
  using namespace nb::literals;
  module.def("sum_lists", &sum<T>, "offsets"_a.noconvert(), "members"_a.noconvert(), "x"_a.noconvert(),
             "list_scale"_a.noconvert().none(), "row_scale"_a.noconvert().none(), "values"_a.noconvert().none(),
             "own"_a, "threads"_a, "y"_a.noconvert());
  module.def("max_lists", &max<T>, "offsets"_a.noconvert(), "members"_a.noconvert(), "x"_a.noconvert(), "threads"_a,
             "y"_a.noconvert(), "where"_a.noconvert());
  module.def("scatter", &scatter_rows<T>, "where"_a.noconvert(), "g"_a.noconvert(), "to"_a.noconvert());
}

}  // namespace

void bind_list_reductions(nb::module_& module) {
  bind_for<float>(module);
  bind_for<double>(module);
}

}  // namespace cliquepool
