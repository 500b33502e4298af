// Bindings of cpp/hierarchy: coarse graphs, inherited edges, and hierarchies of one graph or of many.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hierarchy/coarsening.hpp"
#include "hierarchy/hierarchy.hpp"
#include "hierarchy/inherited_edges.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"

namespace cliquepool {
namespace {

TwinArrays coarsen(const Offsets& indptr, const Nodes& indices, const Offsets& pool_offsets, const Nodes& pool_members,
                   const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  const RaggedView pools = ragged_view(pool_offsets, pool_members);
  return to_arrays(run_within(limits, progress, "joining pools", [&](Budget& budget) {
    TwinLevel coarse;
    Coarsener().run(graph, pools, {}, budget, coarse);
    return coarse;
  }));
}

// Returns (classes, sizes, offsets); writes the neighbours of the quotient to the array that allocate(entries) returns.
nb::tuple coarsen_into(const Offsets& indptr, const Nodes& indices, const Offsets& pool_offsets,
                       const Nodes& pool_members, const nb::callable& allocate, const PythonLimits& limits,
                       const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  const RaggedView pools = ragged_view(pool_offsets, pool_members);
  std::optional<Vector<Node>> neighbours;
  const auto allocate_rows = [&](Offset entries) -> std::span<Node> {
    const nb::gil_scoped_acquire gil;
    neighbours = nb::cast<Vector<Node>>(allocate(entries));
    expect(neighbours->size() == idx(entries), "expected an array of as many entries as asked for");
    return {neighbours->data(), neighbours->size()};
  };
  TwinLevel coarse = run_within(limits, progress, "joining pools", [&](Budget& budget) {
    TwinLevel joined;
    Coarsener().run_into(graph, pools, 1, allocate_rows, budget, joined);
    return joined;
  });
  return nb::make_tuple(to_numpy(std::move(coarse.classes)), to_numpy(std::move(coarse.sizes)),
                        to_numpy(std::move(coarse.quotient.offsets)));
}

OutputArray<std::int64_t> inherited_edges(const Offsets& indptr, const Nodes& indices, const Nodes& sizes,
                                          const Offsets& pool_offsets, const Nodes& pool_members,
                                          const Offsets& coarse_indptr, const Nodes& coarse_indices,
                                          const PythonLimits& limits) {
  const GraphView graph = graph_view(indptr, indices);
  const RaggedView pools = ragged_view(pool_offsets, pool_members);
  const GraphView coarse = graph_view(coarse_indptr, coarse_indices);
  expect(coarse.num_nodes() == pools.size(), "expected one coarse node for each pool");
  return to_numpy(run_within(limits, {}, "counting inherited edges", [&](Budget& budget) {
    return count_inherited_edges(graph, as_span(sizes), pools, coarse, budget);
  }));
}

// Says which level is pooled and, if its rows are not stored, how much memory they would need.
std::string stage_of(int level, const LevelRows& below) {
  std::string stage = "pooling level " + std::to_string(level);
  if (below.implied() == nullptr) return stage;
  const double mebibytes = std::ldexp(static_cast<double>(bytes_to_store(below)), -20);
  const bool large = mebibytes >= 1024;
  std::array<char, 32> size{};
  std::snprintf(size.data(), size.size(), "%.3g %s", large ? mebibytes / 1024 : mebibytes, large ? "GiB" : "MiB");
  return stage + " without the rows of level " + std::to_string(level - 1) + ", which would need about " + size.data();
}

// Returns (pools, coarse, closed weights, seconds) for each level. Where the quotient does not fit into the budget, or
// has more entries than `most_stored`, it is None, and there are closed weights; otherwise these are None.
nb::list hierarchy(const Offsets& indptr, const Nodes& indices, const Nodes& sizes, int levels, unsigned threads,
                   Offset most_stored, const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  expect(sizes.size() == idx(graph.num_nodes()), "expected one size for each class");
  std::vector<HierarchyLevel> built = run_within(limits, progress, "pooling", [&](Budget& budget, std::string& stage) {
    const auto on_level = [&](int level, const LevelRows& below) { stage = stage_of(level, below); };
    return HierarchyBuilder(most_stored).run({graph, as_span(sizes)}, levels, threads, budget, on_level);
  });
  nb::list result;
  for (HierarchyLevel& level : built) {
    nb::object closed_weights = nb::none();
    if (!level.closed_weights.empty()) closed_weights = nb::cast(to_numpy(std::move(level.closed_weights)));
    result.append(nb::make_tuple(to_arrays(std::move(level.pools)), to_arrays(std::move(level.coarse)), closed_weights,
                                 level.seconds));
  }
  return result;
}

nb::tuple to_arrays(FlatTwins&& twins) {
  return nb::make_tuple(to_numpy(std::move(twins.classes)), to_numpy(std::move(twins.class_start)),
                        to_numpy(std::move(twins.sizes)), to_numpy(std::move(twins.offsets)),
                        to_numpy(std::move(twins.neighbours)));
}

FlatHierarchies build_within(std::span<const GraphView> graphs, int levels, Parts parts, unsigned threads,
                             const PythonLimits& limits, const OnProgress& progress) {
  return run_within(limits, progress, "pooling graphs",
                    [&](Budget& budget) { return build_hierarchies(graphs, levels, parts, threads, budget); });
}

// Returns (pool_start, pools, coarse twins or None) for each level.
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

// Takes graphs end to end. Returns (depth of each graph, twins at the bottom, levels).
nb::tuple hierarchies(const Offsets& node_start, const Offsets& indptr, const Nodes& indices, int levels,
                      unsigned threads, const PythonLimits& limits, const OnProgress& progress) {
  const GraphView all = graph_view(indptr, indices);
  expect(node_start.size() > 0 && as_span(node_start).front() == 0 && as_span(node_start).back() == all.num_nodes(),
         "expected node starts from 0 to the number of nodes");
  const EndToEnd batch(as_span(node_start), all.offsets, all.neighbours);
  FlatHierarchies flat = build_within(batch.graphs(), levels, Parts::all, threads, limits, progress);
  return nb::make_tuple(to_numpy(std::move(flat.depth)), to_arrays(std::move(*flat.bottom)),
                        to_list(std::move(flat.levels)));
}

// Takes a list of (indptr, indices), one for each graph, which must not change during the call. Returns (node starts,
// depth of each graph, levels), without the parts that Parts::pools leaves out.
nb::tuple hierarchies_of_rows(const nb::list& rows, int levels, unsigned threads, const PythonLimits& limits,
                              const OnProgress& progress) {
  std::vector<GraphView> graphs;
  graphs.reserve(rows.size());
  for (const nb::handle pair : rows) {
    expect(PyTuple_Check(pair.ptr()) && PyTuple_Size(pair.ptr()) == 2, "expected pairs of arrays");
    graphs.push_back(graph_view(borrowed_span<Offset>(PyTuple_GetItem(pair.ptr(), 0)),
                                borrowed_span<Node>(PyTuple_GetItem(pair.ptr(), 1))));
  }
  FlatHierarchies flat = build_within(graphs, levels, Parts::pools, threads, limits, progress);
  Buffer<Offset> node_start;
  node_start.reserve(graphs.size() + 1);
  node_start.push_back(0);
  for (const GraphView& graph : graphs) node_start.push_back(node_start.back() + graph.num_nodes());
  return nb::make_tuple(to_numpy(std::move(node_start)), to_numpy(std::move(flat.depth)),
                        to_list(std::move(flat.levels)));
}

}  // namespace

void bind_hierarchy(nb::module_& module) {
  using namespace nb::literals;
  module.def("coarsen", &coarsen, "indptr"_a, "indices"_a, "pool_offsets"_a, "pool_members"_a, "limits"_a,
             "progress"_a.none());
  module.def("coarsen_into", &coarsen_into, "indptr"_a, "indices"_a, "pool_offsets"_a, "pool_members"_a, "allocate"_a,
             "limits"_a, "progress"_a.none());
  module.def("inherited_edges", &inherited_edges, "indptr"_a, "indices"_a, "sizes"_a, "pool_offsets"_a,
             "pool_members"_a, "coarse_indptr"_a, "coarse_indices"_a, "limits"_a);
  module.def("hierarchy", &hierarchy, "indptr"_a, "indices"_a, "sizes"_a, "levels"_a, "threads"_a, "most_stored"_a,
             "limits"_a, "progress"_a.none());
  module.def("hierarchies", &hierarchies, "node_start"_a, "indptr"_a, "indices"_a, "levels"_a, "threads"_a, "limits"_a,
             "progress"_a.none());
  module.def("hierarchies_of_rows", &hierarchies_of_rows, "rows"_a, "levels"_a, "threads"_a, "limits"_a,
             "progress"_a.none());
}

}  // namespace cliquepool
