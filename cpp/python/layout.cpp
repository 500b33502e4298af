// Bindings of cpp/layout: positions of nodes for pictures.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "layout/layout.hpp"
#include "layout/separation.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"
#include "python/rows.hpp"

namespace cliquepool {
namespace {

std::span<Point> points_of(const Matrix<double>& positions) {
  static_assert(sizeof(Point) == 2 * sizeof(double));
  expect(positions.shape(1) == 2, "expected positions in the plane");
  return {reinterpret_cast<Point*>(positions.data()), positions.shape(0)};
}

void lay_out_graph(const Offsets& indptr, const Nodes& indices, int pivots, int rounds, const PythonLimits& limits,
                   const Matrix<double>& positions) {
  const GraphView graph = graph_view(indptr, indices);
  const std::span<Point> points = points_of(positions);
  expect(points.size() == idx(graph.num_nodes()), "expected one position for each node");
  expect(is_ascending(as_span(indptr)) && all_in_range(0, points.size(), as_span(indices)), "expected rows of a graph");
  expect(pivots > 0 && rounds >= 0, "expected at least one pivot");
  run_within(limits, {}, "laying out", [&](Budget& budget) { lay_out(graph, {pivots, rounds}, budget, points); });
}

void separate_points(double distance, int rounds, const PythonLimits& limits, const Matrix<double>& positions) {
  const std::span<Point> points = points_of(positions);
  expect(std::all_of(points.begin(), points.end(), [](Point p) { return std::isfinite(p.x) && std::isfinite(p.y); }),
         "expected finite positions");
  run_within(limits, {}, "separating", [&](Budget& budget) { separate(points, distance, rounds, budget); });
}

}  // namespace

void bind_layout(nb::module_& module) {
  using namespace nb::literals;
  module.def("lay_out", &lay_out_graph, "indptr"_a, "indices"_a, "pivots"_a, "rounds"_a, "limits"_a,
             "positions"_a.noconvert());
  module.def("separate", &separate_points, "distance"_a, "rounds"_a, "limits"_a, "positions"_a.noconvert());
}

}  // namespace cliquepool
