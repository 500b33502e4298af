// The module _core. Private: NumPy arrays in and out, the GIL released, exceptions of the core raised as the library's.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <string>

#include "base/errors.hpp"
#include "python/bindings.hpp"

NB_MODULE(_core, module) {
  using namespace cliquepool;
  namespace nb = nanobind;
  // Objects alive when the interpreter exits are not leaks worth a warning.
  nb::set_leak_warnings(false);
  module.doc() = "The compiled core of cliquepool. Private: use the package's own functions.";

  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const GraphError& wrong) {
      PyErr_SetString(nb::module_::import_("cliquepool.errors").attr("GraphError").ptr(), wrong.what());
    }
  });

#if defined(__clang__)
  module.attr("compiler") = "Clang " __clang_version__;
#elif defined(__GNUC__)
  module.attr("compiler") = "GCC " __VERSION__;
#elif defined(_MSC_VER)
  module.attr("compiler") = "MSVC " + std::to_string(_MSC_VER);
#endif

  bind_graph(module);
  bind_cliques(module);
  bind_pooling(module);
  bind_shards(module);
  bind_hierarchy(module);
  bind_reading(module);
  bind_list_reductions(module);
  bind_readout(module);
  bind_collate(module);
  bind_window_max(module);
  bind_packed_levels(module);
  bind_disk(module);
  bind_layout(module);
  bind_denormals(module);
}
