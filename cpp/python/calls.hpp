// Calls into the core: the GIL released, a budget, answers to Ctrl-C, progress.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/budget.hpp"
#include "base/errors.hpp"

namespace cliquepool {

namespace nb = nanobind;

// Budget._limits() of the Python side.
using PythonLimits = std::tuple<std::int64_t, double, std::int64_t>;

inline Limits to_limits(const PythonLimits& limits) {
  return {std::get<0>(limits), std::get<1>(limits), std::get<2>(limits)};
}

// Called about twenty times a second with the current stage, and how much of how much is done.
using OnProgress = std::optional<nb::callable>;

// Raises cliquepool.BudgetExceeded. The GIL must be held.
[[noreturn]] inline void raise_in_python(const BudgetExceeded& exceeded, const std::string& stage) {
  constexpr const char* kNames[] = {"max_cliques", "max_seconds", "max_bytes"};
  const nb::object type = nb::module_::import_("cliquepool.errors").attr("BudgetExceeded");
  const char* const name = kNames[static_cast<int>(exceeded.limit)];
  std::string doing = stage;
  if (exceeded.limit != Limit::cliques && exceeded.cliques > 0)
    doing += ", after " + std::to_string(exceeded.cliques) + " cliques";
  const nb::object error = type(name, exceeded.allowed, exceeded.reached, doing);
  PyErr_SetObject(type.ptr(), error.ptr());
  throw nb::python_error();
}

// Runs work(budget), or work(budget, stage), with the GIL released. Ctrl-C ends it, and `progress` is called, about
// twenty times a second. `stage` says what is being done, for the progress and for the message of an exceeded budget;
// the work may change it.
template <typename Work>
auto run_within(const PythonLimits& limits, const OnProgress& progress, std::string stage, Work&& work) {
  const auto poll = [&](const Progress& now) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress) (*progress)(stage, now.done, now.total);
  };
  try {
    const nb::gil_scoped_release release;
    Budget budget(to_limits(limits), poll);
    if constexpr (std::is_invocable_v<Work, Budget&, std::string&>) {
      return work(budget, stage);
    } else {
      return work(budget);
    }
  } catch (const BudgetExceeded& exceeded) {
    raise_in_python(exceeded, stage);
  }
}

// Runs work(budget) with the GIL released and without limits, for work that is linear in input already in memory.
// Ctrl-C ends it.
template <typename Work>
auto run_interruptibly(Work&& work) {
  const nb::gil_scoped_release release;
  Budget budget({}, [](const Progress&) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  });
  return work(budget);
}

inline void expect(bool holds, const char* expectation) {
  if (!holds) throw GraphError(expectation);
}

}  // namespace cliquepool
