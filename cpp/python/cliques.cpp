// Bindings of cpp/cliques: listing and counting maximal cliques.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <vector>

#include "cliques/listing.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"

namespace cliquepool {
namespace {

RaggedArrays maximal_cliques(const Offsets& indptr, const Nodes& indices, Node min_size, unsigned threads,
                             const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  return to_arrays(run_within(limits, progress, "listing cliques",
                              [&](Budget& budget) { return list_maximal_cliques(graph, min_size, threads, budget); }));
}

std::vector<std::int64_t> count_by_size(const Offsets& indptr, const Nodes& indices, Node min_size, unsigned threads,
                                        const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  return run_within(limits, progress, "counting cliques",
                    [&](Budget& budget) { return count_maximal_cliques_by_size(graph, min_size, threads, budget); });
}

}  // namespace

void bind_cliques(nb::module_& module) {
  using namespace nb::literals;
  module.def("maximal_cliques", &maximal_cliques, "indptr"_a, "indices"_a, "min_size"_a, "threads"_a, "limits"_a,
             "progress"_a.none());
  module.def("count_by_size", &count_by_size, "indptr"_a, "indices"_a, "min_size"_a, "threads"_a, "limits"_a,
             "progress"_a.none());
}

}  // namespace cliquepool
