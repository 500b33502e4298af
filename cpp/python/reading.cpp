// The ways in, for Python: edges, ids, foreign CSR arrays and text files.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/errors.hpp"
#include "graph/compact_ids.hpp"
#include "graph/csr.hpp"
#include "python/arrays.hpp"
#include "reading/reading.hpp"

namespace cliquepool {
namespace {

using Ids = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::device::cpu>;  // of any stride
using Csr = std::tuple<OutputArray<Offset>, OutputArray<Node>>;

Csr to_csr(Graph&& graph) { return {to_numpy(std::move(graph.offsets)), to_numpy(std::move(graph.neighbours))}; }

// Runs `work` with the GIL released, within the limits.
template <typename Work>
auto within(const PythonLimits& limits, Work&& work) {
  try {
    const nb::gil_scoped_release release;
    Budget budget(to_limits(limits), raise_on_interrupt);
    return work(budget);
  } catch (const BudgetExceeded& exceeded) {
    raise_in_python(exceeded, "making a graph of edges");
  }
}

Csr build_csr(const Ids& sources, const Ids& targets, std::int64_t num_nodes, const PythonLimits& limits) {
  if (sources.size() != targets.size()) throw GraphError("expected as many sources as targets");
  if (num_nodes < 0 || num_nodes > kMaxNodes) {
    throw GraphError("expected a number of nodes from 0 to " + std::to_string(kMaxNodes) + ", got " +
                     std::to_string(num_nodes));
  }
  return to_csr(within(limits, [&](Budget& budget) {
    return build_graph<std::int64_t>({sources.data(), sources.stride(0)}, {targets.data(), targets.stride(0)},
                                     sources.size(), static_cast<Node>(num_nodes), budget);
  }));
}

using OptionalIds = std::optional<OutputArray<std::int64_t>>;

OptionalIds to_optional_numpy(std::optional<Buffer<std::int64_t>>&& ids) {
  if (!ids) return std::nullopt;
  return to_numpy(std::move(*ids));
}

std::tuple<OutputArray<std::int64_t>, Node, OptionalIds> compact(const InputArray<std::int64_t>& ids,
                                                                 const PythonLimits& limits) {
  Buffer<std::int64_t> ranks;
  CompactIds result = within(limits, [&](Budget& budget) {
    ranks.append(as_span(ids));
    return compact_ids(ranks.span(), budget);
  });
  return {to_numpy(std::move(ranks)), result.num_nodes, to_optional_numpy(std::move(result.labels))};
}

void validate(const InputArray<Offset>& indptr, const InputArray<Node>& indices, const PythonLimits& limits) {
  within(limits, [&](Budget& budget) { validate_csr({as_span(indptr), as_span(indices)}, budget); });
}

EdgeListOptions options_for(const std::optional<std::string>& ids, std::optional<bool> header) {
  if (!ids) return {std::nullopt, header};
  if (*ids == "integers") return {IdKind::integers, header};
  if (*ids == "text") return {IdKind::text, header};
  throw GraphError("expected ids to be 'integers' or 'text', got '" + *ids + "'");
}

std::unique_ptr<GraphParser> parser_for(const std::string& format, const EdgeListOptions& options) {
  if (format == "edges") return make_parser(Format::edge_list, options);
  if (format == "csv") return make_parser(Format::csv, options);
  if (format == "dimacs") return make_parser(Format::dimacs);
  if (format == "mtx") return make_parser(Format::matrix_market);
  if (format == "metis") return make_parser(Format::metis);
  throw GraphError("expected the format 'edges', 'csv', 'dimacs', 'mtx' or 'metis', got '" + format + "'");
}

nb::object to_list(const Names& names) {
  nb::list list;
  for (std::size_t i = 0; i < names.size(); ++i) list.append(nb::str(names[i].data(), names[i].size()));
  return list;
}

class PythonParser {
 public:
  PythonParser(const std::string& format, const std::optional<std::string>& ids, std::optional<bool> header)
      : parser_(parser_for(format, options_for(ids, header))) {}

  void feed(const nb::bytes& chunk) {
    const std::string_view bytes(chunk.c_str(), chunk.size());
    const nb::gil_scoped_release release;
    parser_->feed(bytes);
  }

  std::tuple<OutputArray<Offset>, OutputArray<Node>, nb::object> finish(const PythonLimits& limits) {
    LabelledGraph result = within(limits, [&](Budget& budget) { return parser_->finish(budget); });
    nb::object labels = result.names ? to_list(*result.names) : nb::cast(to_optional_numpy(std::move(result.labels)));
    return {to_numpy(std::move(result.graph.offsets)), to_numpy(std::move(result.graph.neighbours)), std::move(labels)};
  }

  std::int64_t bytes() const { return parser_->bytes(); }

 private:
  std::unique_ptr<GraphParser> parser_;
};

}  // namespace

void bind_reading(nb::module_& m) {
  m.def("build_csr", &build_csr, nb::arg("sources").noconvert(), nb::arg("targets").noconvert(), nb::arg("num_nodes"),
        nb::arg("limits"), "The undirected simple graph of these edges as (indptr, indices).");
  m.def(
      "compact_ids", &compact, nb::arg("ids").noconvert(), nb::arg("limits"),
      "The rank of each id among the distinct ones, their number, and these, ascending, or None when they are 0..n-1.");
  m.def("validate_csr", &validate, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(), nb::arg("limits"),
        "Raise GraphError unless this is an undirected simple graph, neighbours ascending.");
  nb::class_<PythonParser>(m, "GraphParser", "Reads a graph from the bytes of a text file, fed in pieces.")
      .def(nb::init<const std::string&, const std::optional<std::string>&, std::optional<bool>>(), nb::arg("format"),
           nb::arg("ids") = nb::none(), nb::arg("header") = nb::none())
      .def("feed", &PythonParser::feed, nb::arg("chunk"))
      .def("finish", &PythonParser::finish, nb::arg("limits"),
           "(indptr, indices, labels or None): labels are an array, or a list of str where ids are text.")
      .def_prop_ro("nbytes", &PythonParser::bytes, "Bytes held so far.");
}

}  // namespace cliquepool
