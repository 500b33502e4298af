// Bindings of cpp/reading: parsers of graph files and of tables of numbers, fed in pieces.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"
#include "reading/number_table.hpp"
#include "reading/reading.hpp"

namespace cliquepool {
namespace {

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

nb::bytes text_of(const Buffer<char>& text) { return nb::bytes(text.data(), text.size()); }

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
    LabelledGraph result =
        run_within(limits, {}, "making a graph of edges", [&](Budget& budget) { return parser_->finish(budget); });
    nb::object labels = result.names ? to_list(*result.names) : nb::cast(to_numpy(std::move(result.labels)));
    return {to_numpy(std::move(result.graph.offsets)), to_numpy(std::move(result.graph.neighbours)), std::move(labels)};
  }

  nb::object take_pairs() {
    EdgePairs pairs = parser_->take_pairs();
    return pairs.is_wide() ? nb::cast(to_numpy(std::move(pairs.wide())))
                           : nb::cast(to_numpy(std::move(pairs.narrow())));
  }

  nb::tuple finish_ids(const PythonLimits& limits) {
    NodeIds ids =
        run_within(limits, {}, "sorting node ids", [&](Budget& budget) { return parser_->finish_ids(budget); });
    nb::object names = nb::none();
    if (ids.names) names = nb::make_tuple(text_of(ids.names->text), to_numpy(std::move(ids.names->ends)));
    return nb::make_tuple(ids.num_nodes, to_numpy(std::move(ids.ranks)), names);
  }

  void check_counts(std::int64_t num_pairs, std::int64_t num_edges) const {
    parser_->check_counts(num_pairs, num_edges);
  }

  std::int64_t bytes() const { return parser_->bytes(); }

 private:
  std::unique_ptr<GraphParser> parser_;
};

using AnyTable = std::variant<NumberTable<std::int32_t>, NumberTable<std::int64_t>, NumberTable<float>>;

AnyTable table_of(const std::string& type, std::size_t columns) {
  if (type == "int32") return NumberTable<std::int32_t>(columns);
  if (type == "int64") return NumberTable<std::int64_t>(columns);
  if (type == "float32") return NumberTable<float>(columns);
  throw GraphError("expected the type 'int32', 'int64' or 'float32', got '" + type + "'");
}

class PythonTable {
 public:
  PythonTable(const std::string& type, std::size_t columns) : table_(table_of(type, columns)) {}

  void feed(const nb::bytes& lines) {
    const std::string_view bytes(lines.c_str(), lines.size());
    const nb::gil_scoped_release release;
    std::visit([&](auto& table) { table.feed(bytes); }, table_);
  }

  nb::object take() {
    return std::visit([](auto& table) { return nb::cast(to_numpy(table.take())); }, table_);
  }

  std::size_t columns() const {
    return std::visit([](const auto& table) { return table.columns(); }, table_);
  }
  std::int64_t rows() const {
    return std::visit([](const auto& table) { return table.rows(); }, table_);
  }

 private:
  AnyTable table_;
};

}  // namespace

void bind_reading(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<PythonParser>(module, "GraphParser", "Parser of a graph file, fed with its bytes in pieces.")
      .def(nb::init<const std::string&, const std::optional<std::string>&, std::optional<bool>>(), "format"_a,
           "ids"_a = nb::none(), "header"_a = nb::none())
      .def("feed", &PythonParser::feed, "chunk"_a)
      .def("finish", &PythonParser::finish, "limits"_a,
           "Return (indptr, indices, labels or None): labels are an array, or a list of str if the ids are text.")
      .def("take_pairs", &PythonParser::take_pairs, "Return the pairs of ids read since the last call, end to end.")
      .def("finish_ids", &PythonParser::finish_ids, "limits"_a,
           "End the file; return (number of nodes or None, the node of each number in the pairs or None, (text, ends) "
           "of the names or None).")
      .def("check_counts", &PythonParser::check_counts, "num_pairs"_a, "num_edges"_a)
      .def_prop_ro("nbytes", &PythonParser::bytes, "The number of bytes held so far.");
  nb::class_<PythonTable>(module, "NumberTable", "Parser of a table of numbers, fed with whole lines of text.")
      .def(nb::init<const std::string&, std::size_t>(), "type"_a, "columns"_a)
      .def("feed", &PythonTable::feed, "lines"_a)
      .def("take", &PythonTable::take, "Return the numbers, row by row; call it once.")
      .def_prop_ro("columns", &PythonTable::columns)
      .def_prop_ro("rows", &PythonTable::rows);
}

}  // namespace cliquepool
