// The core, for Python: NumPy arrays in and out, the GIL released, C++ exceptions as the library's own.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "cliques/listing.hpp"
#include "graph/twins.hpp"
#include "hierarchy/coarsening.hpp"
#include "hierarchy/hierarchy.hpp"
#include "hierarchy/inherited_edges.hpp"
#include "pooling/pooler.hpp"
#include "python/arrays.hpp"

namespace cliquepool {

void bind_kernels(nb::module_& module);  // python_kernels.cpp
void bind_packed(nb::module_& module);   // python_packed.cpp
void bind_reading(nb::module_& module);  // python_reading.cpp
void bind_text(nb::module_& module);     // python_text.cpp
void bind_windows(nb::module_& module);  // python_windows.cpp

namespace {

using Offsets = InputArray<Offset>;
using Nodes = InputArray<Node>;
using RaggedArrays = std::tuple<OutputArray<Offset>, OutputArray<Node>>;
using TwinArrays = std::tuple<OutputArray<Node>, OutputArray<Node>, std::optional<OutputArray<Offset>>,
                              std::optional<OutputArray<Node>>>;
// Called about twenty times a second with what is being done, how much of it is done, and how much there is.
using OnProgress = std::optional<nb::callable>;

// Runs `work(budget, stage)` with the GIL released. While it runs, Ctrl-C and `progress` are answered; `stage` names
// what is being done, for the progress and for the message of an exceeded budget.
template <typename Work>
auto within(const PythonLimits& limits, const OnProgress& progress, std::string stage, Work&& work) {
  const auto poll = [&](const Progress& now) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (progress) (*progress)(stage, now.done, now.total);
  };
  try {
    const nb::gil_scoped_release release;
    Budget budget(to_limits(limits), poll);
    return work(budget, stage);
  } catch (const BudgetExceeded& exceeded) {
    const char* const names[] = {"max_cliques", "max_seconds", "max_bytes"};
    const nb::object type = nb::module_::import_("cliquepool.errors").attr("BudgetExceeded");
    const nb::object error = type(names[static_cast<int>(exceeded.limit)], exceeded.allowed, exceeded.reached, stage);
    PyErr_SetObject(type.ptr(), error.ptr());
    throw nb::python_error();
  }
}

// The arrays come from the library's own checked objects; this guards what a wrong one would crash on.
GraphView graph_view(std::span<const Offset> offsets, std::span<const Node> neighbours) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != static_cast<Offset>(neighbours.size()) ||
      offsets.size() - 1 > idx(kMaxNodes)) {
    throw GraphError("expected offsets from 0 to the number of neighbours");
  }
  return {offsets, neighbours};
}
GraphView graph_view(const Offsets& indptr, const Nodes& indices) {
  return graph_view(as_span(indptr), as_span(indices));
}

RaggedView ragged_view(const Offsets& offsets, const Nodes& members) {
  const auto starts = as_span(offsets);
  if (starts.empty() || starts.front() != 0 || starts.back() != static_cast<Offset>(members.size())) {
    throw GraphError("expected offsets from 0 to the number of members");
  }
  return {starts, as_span(members)};
}

RaggedArrays to_arrays(Ragged&& ragged) {
  ragged.offsets.shrink_to_fit();
  ragged.members.shrink_to_fit();
  return {to_numpy(std::move(ragged.offsets)), to_numpy(std::move(ragged.members))};
}

TwinArrays to_arrays(TwinLevel&& level) {
  std::optional<OutputArray<Offset>> offsets;
  std::optional<OutputArray<Node>> neighbours;
  if (!level.quotient.offsets.empty()) {
    offsets = to_numpy(std::move(level.quotient.offsets));
    neighbours = to_numpy(std::move(level.quotient.neighbours));
  }
  return {to_numpy(std::move(level.classes)), to_numpy(std::move(level.sizes)), offsets, neighbours};
}

// No quotient for a twin-free graph: it is its own. Linear time and space, so no limits either.
TwinArrays twin_classes(const Offsets& indptr, const Nodes& indices) {
  const GraphView graph = graph_view(indptr, indices);
  TwinLevel level;
  {
    const nb::gil_scoped_release release;
    Budget budget({}, raise_on_interrupt);
    TwinFinder().run(graph, budget, level);
  }
  return to_arrays(std::move(level));
}

RaggedArrays expand_graph(const Nodes& classes, const Nodes& sizes, const Offsets& indptr, const Nodes& indices,
                          const PythonLimits& limits) {
  const GraphView quotient = graph_view(indptr, indices);
  Graph graph = within(limits, {}, "writing a coarse graph out", [&](Budget& budget, std::string&) {
    return expand(as_span(classes), as_span(sizes), quotient, budget);
  });
  return {to_numpy(std::move(graph.offsets)), to_numpy(std::move(graph.neighbours))};
}

RaggedArrays expand_lists(const Offsets& offsets, const Nodes& members, const Nodes& classes, const Nodes& sizes,
                          const PythonLimits& limits) {
  const RaggedView lists = ragged_view(offsets, members);
  return to_arrays(within(limits, {}, "writing pools out", [&](Budget& budget, std::string&) {
    return expand_members(lists, as_span(classes), as_span(sizes), budget);
  }));
}

RaggedArrays maximal_cliques(const Offsets& indptr, const Nodes& indices, Node min_size, unsigned threads,
                             const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  return to_arrays(within(limits, progress, "listing cliques", [&](Budget& budget, std::string&) {
    return list_maximal_cliques(graph, min_size, threads, budget);
  }));
}

std::vector<std::int64_t> count_by_size(const Offsets& indptr, const Nodes& indices, Node min_size, unsigned threads,
                                        const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  return within(limits, progress, "counting cliques", [&](Budget& budget, std::string&) {
    return count_maximal_cliques_by_size(graph, min_size, threads, budget);
  });
}

RaggedArrays pool(const Offsets& indptr, const Nodes& indices, const Nodes& sizes, unsigned threads,
                  bool only_first_round, const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  if (sizes.size() != idx(graph.num_nodes())) throw GraphError("expected one size for each class");
  const char* const stage = only_first_round ? "finding maximum cliques" : "pooling";
  return to_arrays(within(limits, progress, stage, [&](Budget& budget, std::string&) {
    Ragged pools;
    Pooler().run({graph, as_span(sizes)}, {.threads = threads, .only_first_round = only_first_round, .progress = true},
                 budget, pools);
    return pools;
  }));
}

TwinArrays coarsen(const Offsets& indptr, const Nodes& indices, const Offsets& pool_offsets, const Nodes& pool_members,
                   const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  const RaggedView pools = ragged_view(pool_offsets, pool_members);
  return to_arrays(within(limits, progress, "joining pools", [&](Budget& budget, std::string&) {
    TwinLevel coarse;
    Coarsener().run(graph, pools, budget, coarse);
    return coarse;
  }));
}

// One (pools, coarse, seconds) for each level.
nb::list hierarchy(const Offsets& indptr, const Nodes& indices, const Nodes& sizes, int levels, unsigned threads,
                   const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  if (sizes.size() != idx(graph.num_nodes())) throw GraphError("expected one size for each class");
  std::vector<HierarchyLevel> built = within(limits, progress, "pooling", [&](Budget& budget, std::string& stage) {
    return HierarchyBuilder().run(graph, as_span(sizes), levels, threads, budget,
                                  [&](int level) { stage = "pooling level " + std::to_string(level); });
  });
  nb::list result;
  for (HierarchyLevel& level : built)
    result.append(nb::make_tuple(to_arrays(std::move(level.pools)), to_arrays(std::move(level.coarse)), level.seconds));
  return result;
}

nb::tuple to_arrays(FlatTwins&& twins) {
  return nb::make_tuple(to_numpy(std::move(twins.classes)), to_numpy(std::move(twins.class_start)),
                        to_numpy(std::move(twins.sizes)), to_numpy(std::move(twins.offsets)),
                        to_numpy(std::move(twins.neighbours)));
}

FlatHierarchies build_within(std::span<const GraphView> graphs, int levels, const Wanted& wanted, unsigned threads,
                             const PythonLimits& limits, const OnProgress& progress) {
  return within(limits, progress, "pooling graphs", [&](Budget& budget, std::string&) {
    return build_hierarchies(graphs, levels, wanted, threads, budget);
  });
}

// One (pool_start, pools, coarse twins or None) for each level.
nb::list to_list(std::vector<FlatLevel>&& levels) {
  nb::list flat_levels;
  for (FlatLevel& level : levels) {
    nb::object coarse = nb::none();
    if (level.coarse) coarse = to_arrays(std::move(*level.coarse));
    flat_levels.append(
        nb::make_tuple(to_numpy(std::move(level.pool_start)), to_arrays(std::move(level.pools)), coarse));
  }
  return flat_levels;
}

// Of graphs that stand end to end: (depth of each graph, twins at the bottom, levels).
nb::tuple hierarchies(const Offsets& node_start, const Offsets& indptr, const Nodes& indices, int levels,
                      unsigned threads, const PythonLimits& limits, const OnProgress& progress, bool last_coarse) {
  const GraphView all = graph_view(indptr, indices);
  if (node_start.size() == 0 || as_span(node_start).front() != 0 || as_span(node_start).back() != all.num_nodes())
    throw GraphError("expected node starts from 0 to the number of nodes");
  const EndToEnd batch(as_span(node_start), all.offsets, all.neighbours);
  FlatHierarchies flat = build_within(batch.graphs(), levels, {.last_coarse = last_coarse}, threads, limits, progress);
  return nb::make_tuple(to_numpy(std::move(flat.depth)), to_arrays(std::move(*flat.bottom)),
                        to_list(std::move(flat.levels)));
}

// Of graphs that each have arrays of their own, a list of (indptr, indices), which must not change meanwhile:
// (node starts, depth of each graph, levels), the last of a fixed number of levels without its coarse twins.
nb::tuple hierarchies_of_rows(const nb::list& rows, int levels, unsigned threads, const PythonLimits& limits,
                              const OnProgress& progress) {
  std::vector<GraphView> graphs;
  graphs.reserve(rows.size());
  for (const nb::handle pair : rows) {
    if (!PyTuple_Check(pair.ptr()) || PyTuple_Size(pair.ptr()) != 2) throw GraphError("expected pairs of arrays");
    graphs.push_back(graph_view(borrowed_span<Offset>(PyTuple_GetItem(pair.ptr(), 0)),
                                borrowed_span<Node>(PyTuple_GetItem(pair.ptr(), 1))));
  }
  FlatHierarchies flat =
      build_within(graphs, levels, {.bottom = false, .last_coarse = false}, threads, limits, progress);
  Buffer<Offset> node_start;
  node_start.reserve(graphs.size() + 1);
  node_start.push_back(0);
  for (const GraphView& graph : graphs) node_start.push_back(node_start.back() + graph.num_nodes());
  return nb::make_tuple(to_numpy(std::move(node_start)), to_numpy(std::move(flat.depth)),
                        to_list(std::move(flat.levels)));
}

OutputArray<std::int64_t> coarse_weights(const Offsets& indptr, const Nodes& indices, const Nodes& sizes,
                                         const Offsets& pool_offsets, const Nodes& pool_members,
                                         const Offsets& coarse_indptr, const Nodes& coarse_indices,
                                         const PythonLimits& limits) {
  const GraphView graph = graph_view(indptr, indices);
  const RaggedView pools = ragged_view(pool_offsets, pool_members);
  const GraphView coarse = graph_view(coarse_indptr, coarse_indices);
  if (coarse.num_nodes() != pools.size()) throw GraphError("expected one coarse node for each pool");
  return to_numpy(within(limits, {}, "counting inherited edges", [&](Budget& budget, std::string&) {
    return count_inherited_edges(graph, as_span(sizes), pools, coarse, budget);
  }));
}

}  // namespace
}  // namespace cliquepool

NB_MODULE(_core, module) {
  using namespace cliquepool;
  using namespace nb::literals;
  // What lives until the interpreter ends is no leak that a user should read about.
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

  bind_kernels(module);
  bind_packed(module);
  bind_reading(module);
  bind_text(module);
  bind_windows(module);
  module.def("twin_classes", &twin_classes, "indptr"_a, "indices"_a);
  module.def("expand_graph", &expand_graph, "classes"_a, "sizes"_a, "indptr"_a, "indices"_a, "limits"_a);
  module.def("expand_lists", &expand_lists, "offsets"_a, "members"_a, "classes"_a, "sizes"_a, "limits"_a);
  module.def("maximal_cliques", &maximal_cliques, "indptr"_a, "indices"_a, "min_size"_a, "threads"_a, "limits"_a,
             "progress"_a.none());
  module.def("count_by_size", &count_by_size, "indptr"_a, "indices"_a, "min_size"_a, "threads"_a, "limits"_a,
             "progress"_a.none());
  module.def("pool", &pool, "indptr"_a, "indices"_a, "sizes"_a, "threads"_a, "only_first_round"_a, "limits"_a,
             "progress"_a.none());
  module.def("coarsen", &coarsen, "indptr"_a, "indices"_a, "pool_offsets"_a, "pool_members"_a, "limits"_a,
             "progress"_a.none());
  module.def("hierarchy", &hierarchy, "indptr"_a, "indices"_a, "sizes"_a, "levels"_a, "threads"_a, "limits"_a,
             "progress"_a.none());
  module.def("hierarchies", &hierarchies, "node_start"_a, "indptr"_a, "indices"_a, "levels"_a, "threads"_a, "limits"_a,
             "progress"_a.none(), "last_coarse"_a = true);
  module.def("hierarchies_of_rows", &hierarchies_of_rows, "rows"_a, "levels"_a, "threads"_a, "limits"_a,
             "progress"_a.none());
  module.def("coarse_weights", &coarse_weights, "indptr"_a, "indices"_a, "sizes"_a, "pool_offsets"_a, "pool_members"_a,
             "coarse_indptr"_a, "coarse_indices"_a, "limits"_a);
}
