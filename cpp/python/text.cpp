// Data sets for Python: tables of numbers out of text, and the flat graphs of their edges.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "base/errors.hpp"
#include "graph/flat_graphs.hpp"
#include "python/arrays.hpp"
#include "reading/number_table.hpp"

namespace cliquepool {
namespace {

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

// Linear in the input, which lies in memory already: no limits, but Ctrl-C is answered.
template <typename Work>
auto interruptibly(Work&& work) {
  const nb::gil_scoped_release release;
  Budget budget({}, raise_on_interrupt);
  return work(budget);
}

std::optional<std::size_t> stray_edge(const InputArray<Node>& pairs, const InputArray<Offset>& node_start) {
  return interruptibly([&](Budget& budget) { return first_stray_edge(as_span(pairs), as_span(node_start), budget); });
}

std::tuple<OutputArray<Offset>, OutputArray<Node>> build(const InputArray<Node>& pairs,
                                                         const InputArray<Offset>& node_start) {
  Graph all =
      interruptibly([&](Budget& budget) { return build_flat_graphs(as_span(pairs), as_span(node_start), budget); });
  return {to_numpy(std::move(all.offsets)), to_numpy(std::move(all.neighbours))};
}

void validate(const InputArray<Offset>& node_start, const InputArray<Offset>& indptr, const InputArray<Node>& indices) {
  interruptibly(
      [&](Budget& budget) { validate_flat_graphs(as_span(node_start), {as_span(indptr), as_span(indices)}, budget); });
}

}  // namespace

void bind_text(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<PythonTable>(module, "NumberTable", "Reads a table of numbers from whole lines of text, fed in pieces.")
      .def(nb::init<const std::string&, std::size_t>(), "type"_a, "columns"_a)
      .def("feed", &PythonTable::feed, "lines"_a)
      .def("take", &PythonTable::take, "The numbers, row by row; once.")
      .def_prop_ro("columns", &PythonTable::columns)
      .def_prop_ro("rows", &PythonTable::rows);
  module.def("first_stray_edge", &stray_edge, nb::arg("pairs").noconvert(), nb::arg("node_start").noconvert(),
             "The first edge whose ends are not two nodes of one graph, if there is one.");
  module.def("build_flat_graphs", &build, nb::arg("pairs").noconvert(), nb::arg("node_start").noconvert(),
             "The simple graphs of these edges as (indptr, indices), neighbours numbered inside their graph.");
  module.def("validate_flat_graphs", &validate, nb::arg("node_start").noconvert(), nb::arg("indptr").noconvert(),
             nb::arg("indices").noconvert(), "Raise GraphError unless these are undirected simple graphs.");
}

}  // namespace cliquepool
