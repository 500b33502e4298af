// Bindings of base/denormals: the mode of the calling thread.
#include "base/denormals.hpp"

#include <nanobind/nanobind.h>

#include "python/bindings.hpp"

namespace cliquepool {

namespace nb = nanobind;

void bind_denormals(nb::module_& module) {
  using namespace nb::literals;
  module.attr("FLUSH_DENORMALS") = kFlushDenormals;
  module.def("denormal_mode", &denormal_mode);
  module.def("set_denormal_mode", &set_denormal_mode, "mode"_a);
}

}  // namespace cliquepool
