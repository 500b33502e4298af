// Bindings of nn/packed_levels.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

#include "nn/packed_levels.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"

namespace cliquepool {

namespace {

nb::tuple as_tuple(const std::vector<Offset>& numbers) {
  nb::list list;
  for (const Offset number : numbers) list.append(number);
  return nb::tuple(list);
}

nb::tuple unpack(const InputArray<Node>& packed) {
  UnpackedLevels levels;
  {
    const nb::gil_scoped_release release;
    levels = unpack_levels(as_span(packed));
  }
  return nb::make_tuple(levels.num_graphs, as_tuple(levels.num_nodes), as_tuple(levels.num_entries),
                        as_tuple(levels.num_memberships), to_numpy(std::move(levels.wide)),
                        to_numpy(std::move(levels.narrow)), to_numpy(std::move(levels.entry_start)));
}

}  // namespace

void bind_packed_levels(nb::module_& module) {
  using namespace nb::literals;
  module.def("unpack_levels", &unpack, "packed"_a);
}

}  // namespace cliquepool
