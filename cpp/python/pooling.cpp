// Bindings of cpp/pooling: the clique pools of one graph.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "graph/twins.hpp"
#include "pooling/pooler.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"

namespace cliquepool {
namespace {

RaggedArrays pool(const Offsets& indptr, const Nodes& indices, const Nodes& sizes, unsigned threads,
                  bool only_first_round, const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  expect(sizes.size() == idx(graph.num_nodes()), "expected one size for each class");
  const char* const stage = only_first_round ? "finding maximum cliques" : "pooling";
  return to_arrays(run_within(limits, progress, stage, [&](Budget& budget) {
    Ragged pools;
    Pooler().run({graph, as_span(sizes)}, {.threads = threads, .only_first_round = only_first_round, .progress = true},
                 budget, pools);
    return pools;
  }));
}

// Pools node by node, as if there were no twins, and returns the pools as lists of their twin classes.
RaggedArrays pool_by_nodes(const Offsets& indptr, const Nodes& indices, const Nodes& classes, unsigned threads,
                           const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  expect(classes.size() == idx(graph.num_nodes()), "expected one class for each node");
  return to_arrays(run_within(limits, progress, "pooling", [&](Budget& budget) {
    Ragged pools;
    Pooler().run(graph, {.threads = threads, .progress = true}, budget, pools);
    merge_members(pools, as_span(classes), threads, budget);
    return pools;
  }));
}

}  // namespace

void bind_pooling(nb::module_& module) {
  using namespace nb::literals;
  module.def("pool", &pool, "indptr"_a, "indices"_a, "sizes"_a, "threads"_a, "only_first_round"_a, "limits"_a,
             "progress"_a.none());
  module.def("pool_by_nodes", &pool_by_nodes, "indptr"_a, "indices"_a, "classes"_a, "threads"_a, "limits"_a,
             "progress"_a.none());
}

}  // namespace cliquepool
