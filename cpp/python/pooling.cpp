// Bindings of cpp/pooling: the clique pools of one graph.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

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

}  // namespace

void bind_pooling(nb::module_& module) {
  using namespace nb::literals;
  module.def("pool", &pool, "indptr"_a, "indices"_a, "sizes"_a, "threads"_a, "only_first_round"_a, "limits"_a,
             "progress"_a.none());
}

}  // namespace cliquepool
