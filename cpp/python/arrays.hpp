// Conversion between NumPy arrays and the arrays of the core, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/buffer.hpp"
#include "base/errors.hpp"
#include "base/types.hpp"
#include "graph/twins.hpp"

namespace cliquepool {

namespace nb = nanobind;

// A contiguous array of exactly this type.
template <typename T>
using InputArray = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = InputArray<Offset>;
using Nodes = InputArray<Node>;

template <typename T>
using OutputArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

// Row-major arrays of the caller, to read (const T) or to fill.
template <typename T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> as_span(const InputArray<T>& array) {
  return {array.data(), array.size()};
}

// Returns the values of a contiguous array of one dimension and of exactly this type, which the caller keeps alive and
// unchanged. An InputArray would keep it alive, but costs several times as much to make, which matters for thousands of
// small ones.
template <typename T>
std::span<const T> borrowed_span(PyObject* array) {
  static_assert(std::is_integral_v<T> && std::is_signed_v<T>);
  Py_buffer view;
  if (PyObject_GetBuffer(array, &view, PyBUF_ND | PyBUF_FORMAT) != 0) throw nb::python_error();
  const std::span<const T> values(static_cast<const T*>(view.buf), static_cast<std::size_t>(view.len) / sizeof(T));
  const bool right = view.ndim == 1 && view.itemsize == sizeof(T) && view.format != nullptr &&
                     std::strlen(view.format) == 1 && std::strchr("bhilq", view.format[0]) != nullptr;
  PyBuffer_Release(&view);
  if (!right) throw nb::type_error("expected a contiguous array of one dimension, of the core's integers");
  return values;
}

// Hands the memory of `buffer` to NumPy.
template <typename T>
OutputArray<T> to_numpy(Buffer<T>&& buffer) {
  const std::size_t size = buffer.size();
  buffer.reserve(1);  // a capsule must not hold a null pointer
  T* const block = buffer.release();
  nb::capsule owner(block, [](void* memory) noexcept { std::free(memory); });
  return OutputArray<T>(block, {size}, owner);
}

template <typename T>
std::optional<OutputArray<T>> to_numpy(std::optional<Buffer<T>>&& buffer) {
  if (!buffer) return std::nullopt;
  return to_numpy(std::move(*buffer));
}

// The arrays come from the library's own checked objects; these checks prevent a crash on wrong ones.
inline GraphView graph_view(std::span<const Offset> offsets, std::span<const Node> neighbours) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<Offset>(neighbours.size()) ||
      offsets.size() - 1 > idx(kMaxNodes)) {
    throw GraphError("expected offsets from 0 to the number of neighbours");
  }
  return {offsets, neighbours};
}
inline GraphView graph_view(const Offsets& indptr, const Nodes& indices) {
  return graph_view(as_span(indptr), as_span(indices));
}

inline RaggedView ragged_view(const Offsets& offsets, const Nodes& members) {
  const auto starts = as_span(offsets);
  if (starts.empty() || starts.front() != 0 || starts.back() != static_cast<Offset>(members.size())) {
    throw GraphError("expected offsets from 0 to the number of members");
  }
  return {starts, as_span(members)};
}

using RaggedArrays = std::tuple<OutputArray<Offset>, OutputArray<Node>>;

inline RaggedArrays to_arrays(Graph&& graph) {
  return {to_numpy(std::move(graph.offsets)), to_numpy(std::move(graph.neighbours))};
}

inline RaggedArrays to_arrays(Ragged&& ragged) {
  ragged.offsets.shrink_to_fit();
  ragged.members.shrink_to_fit();
  return {to_numpy(std::move(ragged.offsets)), to_numpy(std::move(ragged.members))};
}

// Classes, class sizes, and offsets and neighbours of the quotient, if there is one.
using TwinArrays = std::tuple<OutputArray<Node>, OutputArray<Node>, std::optional<OutputArray<Offset>>,
                              std::optional<OutputArray<Node>>>;

inline TwinArrays to_arrays(TwinLevel&& level) {
  std::optional<OutputArray<Offset>> offsets;
  std::optional<OutputArray<Node>> neighbours;
  if (!level.quotient.offsets.empty()) {
    offsets = to_numpy(std::move(level.quotient.offsets));
    neighbours = to_numpy(std::move(level.quotient.neighbours));
  }
  return {to_numpy(std::move(level.classes)), to_numpy(std::move(level.sizes)), offsets, neighbours};
}

}  // namespace cliquepool
