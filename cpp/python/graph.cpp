// Bindings of cpp/graph: building and validating graphs, one or many end to end, and twin classes.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "graph/compact_ids.hpp"
#include "graph/csr.hpp"
#include "graph/flat_graphs.hpp"
#include "graph/twins.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"

namespace cliquepool {
namespace {

constexpr const char* kBuilding = "making a graph of edges";

template <typename Id>
using Ids = nb::ndarray<const Id, nb::ndim<1>, nb::device::cpu>;  // of any stride

template <typename Id>
RaggedArrays build_csr(const Ids<Id>& sources, const Ids<Id>& targets, std::int64_t num_nodes, unsigned threads,
                       const PythonLimits& limits) {
  expect(sources.size() == targets.size(), "expected as many sources as targets");
  if (num_nodes < 0 || num_nodes > kMaxNodes) {
    throw GraphError("expected a number of nodes from 0 to " + std::to_string(kMaxNodes) + ", got " +
                     std::to_string(num_nodes));
  }
  return to_arrays(run_within(limits, {}, kBuilding, [&](Budget& budget) {
    return build_graph<Id>({sources.data(), sources.stride(0)}, {targets.data(), targets.stride(0)}, sources.size(),
                           static_cast<Node>(num_nodes), budget, threads);
  }));
}

std::tuple<OutputArray<std::int64_t>, Node, std::optional<OutputArray<std::int64_t>>> compact(
    const InputArray<std::int64_t>& ids, const PythonLimits& limits) {
  Buffer<std::int64_t> ranks;
  CompactIds result = run_within(limits, {}, kBuilding, [&](Budget& budget) {
    ranks.append(as_span(ids));
    return compact_ids(ranks.span(), budget);
  });
  return {to_numpy(std::move(ranks)), result.num_nodes, to_numpy(std::move(result.labels))};
}

void validate(const Offsets& indptr, const Nodes& indices, const PythonLimits& limits) {
  run_within(limits, {}, kBuilding, [&](Budget& budget) { validate_csr({as_span(indptr), as_span(indices)}, budget); });
}

std::optional<std::size_t> stray_edge(const Nodes& pairs, const Offsets& node_start) {
  return run_interruptibly(
      [&](Budget& budget) { return first_stray_edge(as_span(pairs), as_span(node_start), budget); });
}

RaggedArrays build_flat(const Nodes& pairs, const Offsets& node_start) {
  return to_arrays(run_interruptibly(
      [&](Budget& budget) { return build_flat_graphs(as_span(pairs), as_span(node_start), budget); }));
}

void validate_flat(const Offsets& node_start, const Offsets& indptr, const Nodes& indices) {
  run_interruptibly(
      [&](Budget& budget) { validate_flat_graphs(as_span(node_start), {as_span(indptr), as_span(indices)}, budget); });
}

// A twin-free graph is its own quotient: none is returned.
TwinArrays twin_classes(const Offsets& indptr, const Nodes& indices, unsigned threads, bool with_quotient) {
  const GraphView graph = graph_view(indptr, indices);
  return to_arrays(run_interruptibly([&](Budget& budget) {
    TwinLevel level;
    if (with_quotient) {
      TwinFinder().run(graph, budget, level, threads);
      level.quotient.neighbours.shrink_to_fit();
    } else {
      TwinFinder().find_classes(graph, budget, level, threads);
    }
    level.sizes.shrink_to_fit();
    return level;
  }));
}

RaggedArrays quotient_of(const Offsets& indptr, const Nodes& indices, const Nodes& classes, std::size_t num_classes,
                         unsigned threads) {
  const GraphView graph = graph_view(indptr, indices);
  expect(classes.size() == idx(graph.num_nodes()), "expected one class for each node");
  return to_arrays(run_interruptibly([&](Budget& budget) {
    Graph quotient;
    const Buffer<Node> representatives = representatives_of(as_span(classes), num_classes);
    build_quotient(graph, as_span(classes), representatives.span(), threads, budget, quotient);
    quotient.neighbours.shrink_to_fit();
    return quotient;
  }));
}

RaggedArrays expand_graph(const Nodes& classes, const Nodes& sizes, const Offsets& indptr, const Nodes& indices,
                          const PythonLimits& limits) {
  const GraphView quotient = graph_view(indptr, indices);
  return to_arrays(run_within(limits, {}, "writing a coarse graph out", [&](Budget& budget) {
    return expand(as_span(classes), as_span(sizes), quotient, budget);
  }));
}

RaggedArrays expand_lists(const Offsets& offsets, const Nodes& members, const Nodes& classes, const Nodes& sizes,
                          const PythonLimits& limits) {
  const RaggedView lists = ragged_view(offsets, members);
  return to_arrays(run_within(limits, {}, "writing pools out", [&](Budget& budget) {
    return expand_members(lists, as_span(classes), as_span(sizes), budget);
  }));
}

}  // namespace

void bind_graph(nb::module_& module) {
  using namespace nb::literals;
  module.def("build_csr", &build_csr<std::int64_t>, "sources"_a.noconvert(), "targets"_a.noconvert(), "num_nodes"_a,
             "threads"_a, "limits"_a, "Return the undirected simple graph of these edges as (indptr, indices).");
  module.def("build_csr", &build_csr<std::int32_t>, "sources"_a.noconvert(), "targets"_a.noconvert(), "num_nodes"_a,
             "threads"_a, "limits"_a, "The same for 32-bit ids.");
  module.def("compact_ids", &compact, "ids"_a.noconvert(), "limits"_a,
             "Return the rank of each id among the distinct ones, their number, and these, ascending, or None if they "
             "are 0..n-1.");
  module.def("validate_csr", &validate, "indptr"_a.noconvert(), "indices"_a.noconvert(), "limits"_a,
             "Raise GraphError unless this is an undirected simple graph, neighbours ascending.");
  module.def("first_stray_edge", &stray_edge, "pairs"_a.noconvert(), "node_start"_a.noconvert(),
             "Return the first edge whose ends are not two nodes of one graph, or None.");
  module.def("build_flat_graphs", &build_flat, "pairs"_a.noconvert(), "node_start"_a.noconvert(),
             "Return the simple graphs of these edges as (indptr, indices), neighbours numbered within their graph.");
  module.def("validate_flat_graphs", &validate_flat, "node_start"_a.noconvert(), "indptr"_a.noconvert(),
             "indices"_a.noconvert(), "Raise GraphError unless these are undirected simple graphs.");
  module.def("twin_classes", &twin_classes, "indptr"_a, "indices"_a, "threads"_a, "with_quotient"_a);
  module.def("quotient_of", &quotient_of, "indptr"_a, "indices"_a, "classes"_a, "num_classes"_a, "threads"_a,
             "Return the graph between these twin classes.");
  module.def("expand_graph", &expand_graph, "classes"_a, "sizes"_a, "indptr"_a, "indices"_a, "limits"_a);
  module.def("expand_lists", &expand_lists, "offsets"_a, "members"_a, "classes"_a, "sizes"_a, "limits"_a);
}

}  // namespace cliquepool
