// The layers' inner loops and the cutting of batches, for Python. Outputs are given by the caller and filled here.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/denormals.hpp"
#include "base/errors.hpp"
#include "nn/collate.hpp"
#include "nn/kernels.hpp"
#include "python/arrays.hpp"

namespace cliquepool {

namespace {

template <typename T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Offsets = InputArray<Offset>;
using Nodes = InputArray<Node>;

template <typename T>
Rows<T> rows(const Matrix<T>& matrix) {
  return {matrix.data(), matrix.shape(0), matrix.shape(1)};
}

template <typename T>
std::span<const T> values_or_none(const std::optional<Vector<const T>>& vector) {
  return vector ? std::span<const T>(vector->data(), vector->size()) : std::span<const T>();
}

// Some neighbouring columns of a matrix.
template <typename T>
Rows<T> columns(const Matrix<T>& matrix, std::size_t first, std::size_t width) {
  return {matrix.data() + first, matrix.shape(0), width, matrix.shape(1)};
}

void expect(bool holds, const char* what) {
  if (!holds) throw GraphError(what);
}

bool ascends(std::span<const Offset> offsets) {
  bool ascending = true;  // no early end: this vectorises
  for (std::size_t i = 1; i < offsets.size(); ++i) ascending &= offsets[i - 1] <= offsets[i];
  return ascending;
}

// Whether all are from `least` up to `end`. One pass over the numbers, where what follows goes over rows of features.
bool all_from(Node least, std::size_t end, std::span<const Node> nodes) {
  Node lowest = least;
  Node highest = least - 1;
  for (const Node v : nodes) {
    lowest = std::min(lowest, v);
    highest = std::max(highest, v);
  }
  return lowest >= least && highest < static_cast<Offset>(end);
}

// `count` lists of rows of `targets`.
RaggedView lists_of(const Offsets& offsets, const Nodes& members, std::size_t count, std::size_t targets) {
  expect(offsets.size() == count + 1 && as_span(offsets).front() == 0 &&
             as_span(offsets).back() == static_cast<Offset>(members.size()) && ascends(as_span(offsets)),
         "expected one list for each output row");
  expect(all_from(0, targets, as_span(members)), "expected lists of rows that are there");
  return {as_span(offsets), as_span(members)};
}

template <typename T>
void sum(const Offsets& offsets, const Nodes& members, const Matrix<const T>& x,
         const std::optional<Vector<const T>>& list_scale, const std::optional<Vector<const T>>& row_scale,
         const std::optional<Vector<const T>>& values, double own, unsigned threads, const Matrix<T>& y) {
  const RaggedView lists = lists_of(offsets, members, y.shape(0), x.shape(0));
  expect(x.shape(1) == y.shape(1) && (own == 0 || x.shape(0) == y.shape(0)), "expected rows of equal width");
  const Scaling<T> scaling{values_or_none(list_scale), values_or_none(row_scale), values_or_none(values),
                           static_cast<T>(own)};
  expect((!list_scale || list_scale->size() == y.shape(0)) && (!row_scale || row_scale->size() == x.shape(0)) &&
             (!values || values->size() == members.size()),
         "expected one scale for each row");
  const nb::gil_scoped_release release;
  sum_lists<T>(lists, rows(x), scaling, threads, rows(y));
}

template <typename T>
void max(const Offsets& offsets, const Nodes& members, const Matrix<const T>& x, unsigned threads, const Matrix<T>& y,
         const Matrix<Node>& where) {
  const RaggedView lists = lists_of(offsets, members, y.shape(0), x.shape(0));
  expect(x.shape(1) == y.shape(1) && where.shape(0) == y.shape(0) && where.shape(1) == y.shape(1),
         "expected rows of equal width");
  const nb::gil_scoped_release release;
  max_lists<T>(lists, rows(x), threads, rows(y), rows(where));
}

template <typename T>
void scatter_back(const Matrix<const Node>& where, const Matrix<const T>& g, const Matrix<T>& to) {
  expect(where.shape(0) == g.shape(0) && where.shape(1) == g.shape(1) && g.shape(1) == to.shape(1),
         "expected rows of equal width");
  expect(all_from(-1, to.shape(0), {where.data(), where.size()}), "expected rows that are there");
  const nb::gil_scoped_release release;
  scatter<T>(rows(where), rows(g), rows(to));
}

// Where each graph begins, and the last one ends.
bool are_starts(const Offsets& starts, std::size_t rows) {
  return starts.size() > 0 && as_span(starts).front() == 0 && as_span(starts).back() == static_cast<Offset>(rows) &&
         ascends(as_span(starts));
}

// `where` are rows that there are; of a graph without rows nothing is read.
void expect_read(const Offsets& starts, const Matrix<const Node>& where, std::size_t count) {
  for (std::size_t s = 0; s < where.shape(0); ++s)
    expect(as_span(starts)[s] == as_span(starts)[s + 1] || all_from(0, count, {rows(where)[s], where.shape(1)}),
           "expected rows that are there");
}

template <typename T>
void read_out(const Offsets& starts, const Matrix<const T>& x, const Matrix<T>& y, const Matrix<Node>& where) {
  expect(starts.size() == y.shape(0) + 1 && are_starts(starts, x.shape(0)) && y.shape(1) == 2 * x.shape(1) &&
             where.shape(0) == y.shape(0) && where.shape(1) == x.shape(1),
         "expected starts from 0 to the number of rows, and twice their width");
  const nb::gil_scoped_release release;
  mean_and_max<T>(as_span(starts), rows(x), rows(y), rows(where));
}

template <typename T>
void read_out_back(const Offsets& starts, const Matrix<const Node>& where, const Matrix<const T>& g,
                   const Matrix<T>& to) {
  expect(starts.size() == g.shape(0) + 1 && are_starts(starts, to.shape(0)) && g.shape(1) == 2 * to.shape(1) &&
             where.shape(0) == g.shape(0) && where.shape(1) == to.shape(1),
         "expected starts from 0 to the number of rows, and twice their width");
  expect_read(starts, where, to.shape(0));
  const nb::gil_scoped_release release;
  mean_and_max_backward<T>(as_span(starts), rows(where), rows(g), rows(to));
}

template <typename T>
void rectify(const Matrix<const T>& x, double epsilon, const Matrix<T>& y, const Vector<T>& divisor) {
  expect(x.shape(0) == y.shape(0) && x.shape(1) == y.shape(1) && divisor.size() == x.shape(0),
         "expected rows of equal width");
  const nb::gil_scoped_release release;
  rectify_and_normalise<T>(rows(x), static_cast<T>(epsilon), rows(y), {divisor.data(), divisor.size()});
}

template <typename T>
void rectify_back(const Matrix<const T>& y, const Vector<const T>& divisor, double epsilon, const Matrix<const T>& g,
                  const Matrix<T>& to) {
  expect(y.shape(0) == g.shape(0) && y.shape(1) == g.shape(1) && to.shape(0) == y.shape(0) &&
             to.shape(1) == y.shape(1) && divisor.size() == y.shape(0),
         "expected rows of equal width");
  const nb::gil_scoped_release release;
  rectify_and_normalise_backward<T>(rows(y), {divisor.data(), divisor.size()}, static_cast<T>(epsilon), rows(g),
                                    rows(to));
}

// `matrix` has from the column `first` on as many rows as there are starts, and twice `width`.
template <typename T>
bool has_room(const Matrix<T>& matrix, std::size_t first, const Offsets& starts, std::size_t width) {
  return matrix.shape(0) + 1 == starts.size() && first <= matrix.shape(1) && matrix.shape(1) - first >= 2 * width;
}

template <typename T>
void rectify_and_read_out(const Offsets& starts, const Matrix<T>& z, double epsilon, const Vector<T>& divisor,
                          const Matrix<T>& read, std::size_t first, const Matrix<Node>& where) {
  const std::size_t width = z.shape(1);
  expect(are_starts(starts, z.shape(0)) && has_room(read, first, starts, width) && divisor.size() == z.shape(0) &&
             where.shape(0) == read.shape(0) && where.shape(1) == width,
         "expected starts from 0 to the number of rows, and twice their width");
  const nb::gil_scoped_release release;
  rectify_and_read<T>(as_span(starts), rows(z), static_cast<T>(epsilon), {divisor.data(), divisor.size()},
                      columns(read, first, 2 * width), rows(where));
}

template <typename T>
void rectify_and_read_out_back(const Offsets& starts, const Matrix<const T>& y, const Vector<const T>& divisor,
                               double epsilon, const Matrix<const Node>& where, const Matrix<const T>& g,
                               std::size_t first, const Matrix<T>& to, const Vector<T>& sums) {
  const std::size_t width = y.shape(1);
  expect(are_starts(starts, y.shape(0)) && has_room(g, first, starts, width) && divisor.size() == y.shape(0) &&
             where.shape(0) == g.shape(0) && where.shape(1) == width && to.shape(0) == y.shape(0) &&
             to.shape(1) == width && sums.size() == width,
         "expected starts from 0 to the number of rows, and twice their width");
  expect_read(starts, where, to.shape(0));
  const nb::gil_scoped_release release;
  rectify_and_read_backward<T>(as_span(starts), rows(y), {divisor.data(), divisor.size()}, static_cast<T>(epsilon),
                               rows(where), columns(g, first, 2 * width), rows(to), {sums.data(), sums.size()});
}

// `start` says where each graph's part of `count` rows begins: looked at for the chosen graphs alone.
void expect_chosen(std::span<const Offset> start, std::span<const Offset> chosen, std::size_t count) {
  expect(!start.empty() && start.back() == static_cast<Offset>(count), "expected where each graph begins");
  for (const Offset graph : chosen) {
    expect(graph >= 0 && idx(graph) < start.size() - 1, "expected indices of graphs that are there");
    const Offset begin = start[idx(graph)];
    const Offset end = start[idx(graph) + 1];
    expect(0 <= begin && begin <= end && end <= start.back(), "expected graphs one after the other");
  }
}

std::size_t last_of(const Offsets& start) {
  return start.size() == 0 ? 0 : static_cast<std::size_t>(as_span(start).back());
}

OutputArray<Offset> starts_of(const Offsets& start, const Offsets& chosen) {
  expect_chosen(as_span(start), as_span(chosen), last_of(start));
  return to_numpy(cut_starts(as_span(start), as_span(chosen)));
}

void rows_of_chosen(const Offsets& start, const Matrix<const std::uint8_t>& all, const Offsets& chosen,
                    const Matrix<std::uint8_t>& cut) {
  expect_chosen(as_span(start), as_span(chosen), all.shape(0));
  std::size_t count = 0;
  for (const Offset graph : as_span(chosen)) count += idx(as_span(start)[idx(graph) + 1] - as_span(start)[idx(graph)]);
  expect(cut.shape(0) == count && cut.shape(1) == all.shape(1), "expected as many rows as the chosen graphs have");
  cut_rows(as_span(start), std::as_bytes(std::span(all.data(), all.size())), all.shape(1), as_span(chosen),
           std::as_writable_bytes(std::span(cut.data(), cut.size())));
}

// The flat arrays of a data set, kept to cut batches from.
class Cutter {
 public:
  using Lists = std::tuple<Offsets, Offsets, Nodes, Offsets>;
  using Values = std::tuple<Offsets, InputArray<float>>;

  Cutter(std::vector<Offsets> starts, std::vector<Lists> lists, std::vector<Values> values)
      : starts_(std::move(starts)), lists_(std::move(lists)), values_(std::move(values)) {
    expect(!starts_.empty() && starts_.front().size() > 0, "expected where each graph begins");
    for (const Offsets& start : starts_) start_views_.push_back(checked(start));
    for (const auto& [list_start, offsets, members, target_start] : lists_) {
      const auto begins = checked(list_start);
      const auto targets = checked(target_start);
      list_views_.push_back({begins, lists_of(offsets, members, idx(begins.back()), idx(targets.back())), targets});
    }
    for (const auto& [start, values_of_all] : values_) {
      expect(checked(start).back() == static_cast<Offset>(values_of_all.size()), "expected one value for each row");
      value_views_.push_back({as_span(start), as_span(values_of_all)});
    }
  }

  // Offsets, members and values of the chosen graphs, the parts of each end to end, and the sizes of these parts.
  nb::tuple cut(const Offsets& chosen) const {
    expect_chosen(start_views_.front(), as_span(chosen), idx(start_views_.front().back()));
    Cut parts;
    {
      const nb::gil_scoped_release release;
      cut_everything(start_views_, list_views_, value_views_, as_span(chosen), parts);
    }
    return nb::make_tuple(to_numpy(std::move(parts.offsets.all)), sizes_of(parts.offsets.sizes),
                          to_numpy(std::move(parts.members.all)), sizes_of(parts.members.sizes),
                          to_numpy(std::move(parts.values.all)), sizes_of(parts.values.sizes));
  }

 private:
  std::span<const Offset> checked(const Offsets& start) const {
    const auto view = as_span(start);
    expect(view.size() == starts_.front().size() && view.front() == 0 && std::is_sorted(view.begin(), view.end()),
           "expected where each graph begins, ascending from 0");
    return view;
  }

  static nb::list sizes_of(const Buffer<Offset>& sizes) {
    nb::list list;
    for (const Offset size : sizes) list.append(size);
    return list;
  }

  std::vector<Offsets> starts_;
  std::vector<Lists> lists_;
  std::vector<Values> values_;
  std::vector<std::span<const Offset>> start_views_;
  std::vector<FlatLists> list_views_;
  std::vector<FlatValues> value_views_;
};

template <typename T>
void bind_for(nb::module_& module) {
  using namespace nb::literals;
  module.def("sum_lists", &sum<T>, "offsets"_a.noconvert(), "members"_a.noconvert(), "x"_a.noconvert(),
             "list_scale"_a.noconvert().none(), "row_scale"_a.noconvert().none(), "values"_a.noconvert().none(),
             "own"_a, "threads"_a, "y"_a.noconvert());
  module.def("max_lists", &max<T>, "offsets"_a.noconvert(), "members"_a.noconvert(), "x"_a.noconvert(), "threads"_a,
             "y"_a.noconvert(), "where"_a.noconvert());
  module.def("scatter", &scatter_back<T>, "where"_a.noconvert(), "g"_a.noconvert(), "to"_a.noconvert());
  module.def("mean_and_max", &read_out<T>, "starts"_a.noconvert(), "x"_a.noconvert(), "y"_a.noconvert(),
             "where"_a.noconvert());
  module.def("mean_and_max_backward", &read_out_back<T>, "starts"_a.noconvert(), "where"_a.noconvert(),
             "g"_a.noconvert(), "to"_a.noconvert());
  module.def("rectify_and_normalise", &rectify<T>, "x"_a.noconvert(), "epsilon"_a, "y"_a.noconvert(),
             "divisor"_a.noconvert());
  module.def("rectify_and_normalise_backward", &rectify_back<T>, "y"_a.noconvert(), "divisor"_a.noconvert(),
             "epsilon"_a, "g"_a.noconvert(), "to"_a.noconvert());
  module.def("rectify_and_read", &rectify_and_read_out<T>, "starts"_a.noconvert(), "z"_a.noconvert(), "epsilon"_a,
             "divisor"_a.noconvert(), "read"_a.noconvert(), "first"_a, "where"_a.noconvert());
  module.def("rectify_and_read_backward", &rectify_and_read_out_back<T>, "starts"_a.noconvert(), "y"_a.noconvert(),
             "divisor"_a.noconvert(), "epsilon"_a, "where"_a.noconvert(), "g"_a.noconvert(), "first"_a,
             "to"_a.noconvert(), "sums"_a.noconvert());
}

}  // namespace

void bind_kernels(nb::module_& module) {
  using namespace nb::literals;
  bind_for<float>(module);
  bind_for<double>(module);
  nb::class_<Cutter>(module, "Cutter")
      .def(nb::init<std::vector<Offsets>, std::vector<Cutter::Lists>, std::vector<Cutter::Values>>(), "starts"_a,
           "lists"_a, "values"_a)
      .def("cut", &Cutter::cut, "chosen"_a);
  module.attr("FLUSH_DENORMALS") = kFlushDenormals;
  module.def("denormal_mode", &denormal_mode);
  module.def("set_denormal_mode", &set_denormal_mode, "mode"_a);
  module.def("cut_starts", &starts_of, "start"_a, "chosen"_a);
  module.def("cut_rows", &rows_of_chosen, "start"_a, "rows"_a, "chosen"_a, "cut"_a);
}

}  // namespace cliquepool
