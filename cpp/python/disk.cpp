// Bindings of cpp/disk: steps of the pooling of graphs that are larger than memory, on arrays mapped from files.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "disk/later_lists.hpp"
#include "disk/quotient_rows.hpp"
#include "disk/run_merger.hpp"
#include "graph/twins.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"

namespace cliquepool {
namespace {

template <typename T>
std::span<T> writable_span(const Vector<T>& array) {
  return {array.data(), array.size()};
}

void later_lists(const Offsets& indptr, const Nodes& indices, const Vector<Node>& order, const Vector<Offset>& offsets,
                 const Vector<Node>& later, const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  const std::size_t n = idx(graph.num_nodes());
  expect(order.size() == n && offsets.size() == n + 1 && later.size() == idx(graph.num_edges()),
         "expected room for the vertices and for each edge once");
  run_within(limits, progress, "ordering vertices", [&](Budget& budget) {
    write_later_lists(graph, {writable_span(order), writable_span(offsets), writable_span(later)}, budget);
  });
}

// Returns the class of each node, and the sizes of the classes.
std::tuple<OutputArray<Node>, OutputArray<Node>> find_twin_classes(const Offsets& indptr, const Nodes& indices,
                                                                   const PythonLimits& limits,
                                                                   const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  TwinLevel level = run_within(limits, progress, "finding twins", [&](Budget& budget) {
    TwinLevel found;
    TwinFinder().find_classes(graph, budget, found);
    return found;
  });
  return {to_numpy(std::move(level.classes)), to_numpy(std::move(level.sizes))};
}

void quotient_offsets(const Offsets& indptr, const Nodes& indices, const Nodes& classes, const Vector<Offset>& offsets,
                      const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  expect(classes.size() == idx(graph.num_nodes()) && offsets.size() > 0, "expected a class for each node");
  for (const Node c : as_span(classes))
    expect(c >= 0 && idx(c) + 1 < offsets.size(), "expected an offset for each class");
  run_within(limits, progress, "joining twin classes", [&](Budget& budget) {
    QuotientRows(graph, as_span(classes), budget).write_offsets(writable_span(offsets));
  });
}

void quotient_neighbours(const Offsets& indptr, const Nodes& indices, const Nodes& classes,
                         const Vector<Node>& neighbours, const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  expect(classes.size() == idx(graph.num_nodes()), "expected a class for each node");
  run_within(limits, progress, "joining twin classes", [&](Budget& budget) {
    QuotientRows(graph, as_span(classes), budget).write_neighbours(writable_span(neighbours));
  });
}

// Keeps the arrays of the runs alive.
class PythonMerger {
 public:
  explicit PythonMerger(std::vector<std::pair<Offsets, Nodes>> runs) : runs_(std::move(runs)), merger_(views()) {}

  RaggedArrays take(std::size_t most_members, const PythonLimits& limits) {
    return to_arrays(
        run_within(limits, {}, "merging pools", [&](Budget& budget) { return merger_.take(most_members, budget); }));
  }

 private:
  std::vector<RaggedView> views() const {
    std::vector<RaggedView> all;
    for (const auto& [offsets, members] : runs_) all.push_back(ragged_view(offsets, members));
    return all;
  }

  std::vector<std::pair<Offsets, Nodes>> runs_;
  RunMerger merger_;
};

}  // namespace

void bind_disk(nb::module_& module) {
  using namespace nb::literals;
  module.def("later_lists", &later_lists, "indptr"_a, "indices"_a, "order"_a, "offsets"_a, "later"_a, "limits"_a,
             "progress"_a.none(), "Write the vertex of each rank, and the ranks of its later neighbours, descending.");
  module.def("find_twin_classes", &find_twin_classes, "indptr"_a, "indices"_a, "limits"_a, "progress"_a.none());
  module.def("quotient_offsets", &quotient_offsets, "indptr"_a, "indices"_a, "classes"_a, "offsets"_a, "limits"_a,
             "progress"_a.none());
  module.def("quotient_neighbours", &quotient_neighbours, "indptr"_a, "indices"_a, "classes"_a, "neighbours"_a,
             "limits"_a, "progress"_a.none());
  nb::class_<PythonMerger>(module, "RunMerger", "Merges lists that are sorted in runs.")
      .def(nb::init<std::vector<std::pair<Offsets, Nodes>>>(), "runs"_a)
      .def("take", &PythonMerger::take, "most_members"_a, "limits"_a, "Return the next lists; none at the end.");
}

}  // namespace cliquepool
