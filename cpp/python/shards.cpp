// Bindings of cpp/pooling for graphs cut into shards.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <utility>

#include "graph/oriented_graph.hpp"
#include "pooling/list_order.hpp"
#include "pooling/shard_graph.hpp"
#include "pooling/shard_search.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"
#include "python/rows.hpp"

namespace cliquepool {
namespace {

using Flags = InputArray<unsigned char>;
using Oriented = std::tuple<OutputArray<Node>, OutputArray<Offset>, OutputArray<Node>>;
using CutShard =
    std::tuple<OutputArray<Node>, OutputArray<Node>, OutputArray<Offset>, OutputArray<Node>, Offset, Offset>;
using CliquesAndBound = std::tuple<OutputArray<Offset>, OutputArray<Node>, Node>;
using SomeCliques = std::tuple<OutputArray<Offset>, OutputArray<Node>, Node, std::size_t>;

// Returns the vertex of each rank, and the ranks of the later neighbours of each.
Oriented orient(const Offsets& indptr, const Nodes& indices, const PythonLimits& limits, const OnProgress& progress) {
  const GraphView graph = graph_view(indptr, indices);
  Buffer<Node> order;
  Graph later;
  run_within(limits, progress, "ordering vertices", [&](Budget& budget) {
    Pace pace(budget);
    OrientedGraph<Rank> oriented(budget);
    oriented.build(graph, pace);
    const auto n = idx(graph.num_nodes());
    resize_result(order, n, budget);
    std::copy(oriented.order().begin(), oriented.order().end(), order.begin());
    resize_result(later.offsets, n + 1, budget);
    resize_result(later.neighbours, idx(oriented.num_edges()), budget);
    Node* end = later.neighbours.data();
    for (Node rank = 0; rank < graph.num_nodes(); ++rank) {
      later.offsets[idx(rank)] = oriented.start(Rank{rank});
      for (const Rank u : oriented.later(Rank{rank})) *end++ = static_cast<Node>(u);
    }
    later.offsets[n] = oriented.num_edges();
  });
  return {to_numpy(std::move(order)), to_numpy(std::move(later.offsets)), to_numpy(std::move(later.neighbours))};
}

CutShard cut(const Offsets& offsets, const Nodes& later, const Nodes& owner, Node shard, const PythonLimits& limits,
             const OnProgress& progress) {
  expect(offsets.size() > 0 && owner.size() == offsets.size() - 1, "expected an owner of each vertex");
  const RaggedView lists = lists_of(offsets, later, owner.size(), owner.size());
  Shard cut = run_within(limits, progress, "cutting a shard", [&](Budget& budget) {
    return cut_shard({lists.offsets, lists.members}, as_span(owner), shard, budget);
  });
  return {to_numpy(std::move(cut.ranks)),
          to_numpy(std::move(cut.own)),
          to_numpy(std::move(cut.offsets)),
          to_numpy(std::move(cut.later)),
          cut.own_edges,
          cut.halo_edges};
}

OutputArray<Node> count_closing(const Offsets& offsets, const Nodes& later, const PythonLimits& limits) {
  expect(offsets.size() > 0, "expected offsets");
  const std::size_t n = offsets.size() - 1;
  const RaggedView lists = lists_of(offsets, later, n, n);
  return to_numpy(run_within(limits, {}, "counting triangles", [&](Budget& budget) {
    return count_closing_edges({lists.offsets, lists.members}, budget);
  }));
}

RaggedArrays sort(const Offsets& offsets, const Nodes& members, const PythonLimits& limits) {
  const RaggedView lists = ragged_view(offsets, members);
  expect(is_ascending(lists.offsets), "expected ascending offsets");
  return to_arrays(
      run_within(limits, {}, "sorting pools", [&](Budget& budget) { return sorted_lists(lists, budget); }));
}

// A shard with the bounds of its own vertices. Keeps the arrays of the shard alive, which may be mapped from a file.
class ShardSearcher {
 public:
  ShardSearcher(Nodes weights, Nodes own, Offsets offsets, Nodes later, const PythonLimits& limits)
      : weights_(std::move(weights)), own_(std::move(own)), offsets_(std::move(offsets)), later_(std::move(later)) {
    const std::size_t n = weights_.size();
    lists_of(offsets_, later_, n, n);
    const auto vertices = as_span(own_);
    expect(all_in_range(0, n, vertices) && std::is_sorted(vertices.begin(), vertices.end()),
           "expected own vertices of the shard, ascending");
    expect(all_in_range(1, idx(kMaxNodes), as_span(weights_)), "expected positive weights");
    expect(lists_point_forwards(), "expected lists of later vertices, descending");
    run_within(limits, {}, "colouring a shard", [&](Budget& budget) { colours_ = colour_shard(shard(), budget); });
    bounds_.assign(own_.size(), 0);
  }

  Node find_bounds(const Flags& live, Node most, const PythonLimits& limits, const OnProgress& progress) {
    expect(live.size() == weights_.size(), "expected a flag for each vertex of the shard");
    run_within(limits, progress, "bounding cliques",
               [&](Budget& budget) { ShardSearch(shard(), state(live), budget).find_bounds(most); });
    return highest_bound();
  }

  CliquesAndBound find_cliques(const Flags& live, Node weight, const PythonLimits& limits, const OnProgress& progress) {
    expect(live.size() == weights_.size(), "expected a flag for each vertex of the shard");
    expect(weight >= highest_bound(), "expected a weight that no bound exceeds");
    FoundCliques found;
    run_within(limits, progress, "pooling",
               [&](Budget& budget) { ShardSearch(shard(), state(live), budget).find_cliques(weight, found); });
    auto [offsets, members] = to_arrays(std::move(found.lists));
    return {std::move(offsets), std::move(members), highest_bound()};
  }

  // Finds cliques of own vertices from `first` on, until they take `most_bytes`. Returns them as find_cliques does, and
  // after them the own vertex to begin the next call with: their number at the end of the round.
  SomeCliques find_some(const Flags& live, Node weight, std::size_t first, std::int64_t most_bytes,
                        const PythonLimits& limits, const OnProgress& progress) {
    expect(live.size() == weights_.size(), "expected a flag for each vertex of the shard");
    FoundCliques found;
    std::size_t next = first;
    run_within(limits, progress, "pooling", [&](Budget& budget) {
      next = ShardSearch(shard(), state(live), budget).find_cliques(weight, found, first, most_bytes);
    });
    auto [offsets, members] = to_arrays(std::move(found.lists));
    return {std::move(offsets), std::move(members), highest_bound(), next};
  }

 private:
  ShardView shard() const { return {as_span(weights_), as_span(own_), as_span(offsets_), as_span(later_)}; }
  ShardState state(const Flags& live) { return {colours_.span(), as_span(live), bounds_.span()}; }
  Node highest_bound() const { return bounds_.empty() ? 0 : *std::max_element(bounds_.begin(), bounds_.end()); }
  bool lists_point_forwards() const {
    for (Node v = 0; v < shard().num_vertices(); ++v) {
      const auto list = shard()[v];
      if (!list.empty() && list.back() <= v) return false;
      for (std::size_t i = 1; i < list.size(); ++i)
        if (list[i - 1] <= list[i]) return false;
    }
    return true;
  }

  Nodes weights_;
  Nodes own_;
  Offsets offsets_;
  Nodes later_;
  Buffer<Node> colours_;
  Buffer<Node> bounds_;
};

}  // namespace

void bind_shards(nb::module_& module) {
  using namespace nb::literals;
  module.def("orient", &orient, "indptr"_a, "indices"_a, "limits"_a, "progress"_a.none());
  module.def("cut_shard", &cut, "offsets"_a, "later"_a, "owner"_a, "shard"_a, "limits"_a, "progress"_a.none());
  module.def("count_closing_edges", &count_closing, "offsets"_a, "later"_a, "limits"_a);
  module.def("sort_lists", &sort, "offsets"_a, "members"_a, "limits"_a);
  nb::class_<ShardSearcher>(module, "ShardSearcher")
      .def(nb::init<Nodes, Nodes, Offsets, Nodes, const PythonLimits&>(), "weights"_a, "own"_a, "offsets"_a, "later"_a,
           "limits"_a)
      .def("find_bounds", &ShardSearcher::find_bounds, "live"_a, "most"_a, "limits"_a, "progress"_a.none())
      .def("find_cliques", &ShardSearcher::find_cliques, "live"_a, "weight"_a, "limits"_a, "progress"_a.none())
      .def("find_some", &ShardSearcher::find_some, "live"_a, "weight"_a, "first"_a, "most_bytes"_a, "limits"_a,
           "progress"_a.none());
}

}  // namespace cliquepool
