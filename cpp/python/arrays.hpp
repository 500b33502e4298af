// Between NumPy and the core: arrays without copies, budgets that answer Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/budget.hpp"
#include "base/buffer.hpp"

namespace cliquepool {

namespace nb = nanobind;

// What the core takes: a contiguous array of exactly this type.
template <typename T>
using InputArray = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
using OutputArray = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <typename T>
std::span<const T> as_span(const InputArray<T>& array) {
  return {array.data(), array.size()};
}

// The values of a contiguous array of one dimension and of exactly this type, which the caller keeps alive and in
// place. An InputArray would keep it alive, but costs several times as much to make, which tells where there are
// thousands of small ones.
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

// Hands the block of `buffer` to NumPy as it is.
template <typename T>
OutputArray<T> to_numpy(Buffer<T>&& buffer) {
  const std::size_t size = buffer.size();
  buffer.reserve(1);  // a capsule must hold something
  T* const block = buffer.release();
  nb::capsule owner(block, [](void* memory) noexcept { std::free(memory); });
  return OutputArray<T>(block, {size}, owner);
}

// Budget._limits() of the Python side.
using PythonLimits = std::tuple<std::int64_t, double, std::int64_t>;

inline Limits to_limits(const PythonLimits& limits) {
  return {std::get<0>(limits), std::get<1>(limits), std::get<2>(limits)};
}

// Ends a call on Ctrl-C; for a budget whose owner has released the GIL.
inline void raise_on_interrupt(const Progress&) {
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// A limit that was reached, as the library's own exception. The GIL must be held.
[[noreturn]] inline void raise_in_python(const BudgetExceeded& exceeded, const std::string& doing) {
  constexpr const char* kNames[] = {"max_cliques", "max_seconds", "max_bytes"};
  const nb::object type = nb::module_::import_("cliquepool.errors").attr("BudgetExceeded");
  const char* const name = kNames[static_cast<int>(exceeded.limit)];
  const nb::object error = type(name, exceeded.allowed, exceeded.reached, doing);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace cliquepool
