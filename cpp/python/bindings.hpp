// The parts of the module: one function for each file of bindings.
#pragma once

#include <nanobind/nanobind.h>

namespace cliquepool {

void bind_graph(nanobind::module_& module);
void bind_cliques(nanobind::module_& module);
void bind_pooling(nanobind::module_& module);
void bind_shards(nanobind::module_& module);
void bind_hierarchy(nanobind::module_& module);
void bind_reading(nanobind::module_& module);
void bind_list_reductions(nanobind::module_& module);
void bind_readout(nanobind::module_& module);
void bind_collate(nanobind::module_& module);
void bind_window_max(nanobind::module_& module);
void bind_packed_levels(nanobind::module_& module);
void bind_disk(nanobind::module_& module);
void bind_layout(nanobind::module_& module);
void bind_denormals(nanobind::module_& module);

}  // namespace cliquepool
