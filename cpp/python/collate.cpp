// Bindings of nn/collate: the arrays of chosen graphs.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "nn/collate.hpp"
#include "python/arrays.hpp"
#include "python/bindings.hpp"
#include "python/calls.hpp"
#include "python/rows.hpp"

namespace cliquepool {
namespace {

// Checks that the chosen graphs exist, and their starts within `count` rows; those of other graphs are not read.
void expect_chosen(std::span<const Offset> start, std::span<const Offset> chosen, std::size_t count) {
  expect(!start.empty() && start.back() == static_cast<Offset>(count), "expected where each graph begins");
  for (const Offset graph : chosen) {
    expect(graph >= 0 && idx(graph) < start.size() - 1, "expected indices of graphs that are there");
    const Offset begin = start[idx(graph)];
    const Offset end = start[idx(graph) + 1];
    expect(0 <= begin && begin <= end && end <= start.back(), "expected graphs one after the other");
  }
}

OutputArray<Offset> starts_of_chosen(const Offsets& start, const Offsets& chosen) {
  const std::size_t count = start.size() == 0 ? 0 : static_cast<std::size_t>(as_span(start).back());
  expect_chosen(as_span(start), as_span(chosen), count);
  return to_numpy(gather_starts(as_span(start), as_span(chosen)));
}

void rows_of_chosen(const Offsets& start, const Matrix<const std::uint8_t>& all, const Offsets& chosen,
                    const Matrix<std::uint8_t>& gathered) {
  expect_chosen(as_span(start), as_span(chosen), all.shape(0));
  std::size_t count = 0;
  for (const Offset graph : as_span(chosen)) count += idx(as_span(start)[idx(graph) + 1] - as_span(start)[idx(graph)]);
  expect(gathered.shape(0) == count && gathered.shape(1) == all.shape(1),
         "expected as many rows as the chosen graphs have");
  gather_rows(as_span(start), std::as_bytes(std::span(all.data(), all.size())), all.shape(1), as_span(chosen),
              std::as_writable_bytes(std::span(gathered.data(), gathered.size())));
}

// Holds the flat arrays of a data set, checked once, and collates batches of its graphs.
class Collator {
 public:
  using Lists = std::tuple<Offsets, Offsets, Nodes, Offsets>;
  using Values = std::tuple<Offsets, InputArray<float>>;

  Collator(std::vector<Offsets> starts, std::vector<Lists> lists, std::vector<Values> values)
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

  // Returns offsets, members and values of the chosen graphs, each kind end to end, followed by its sizes.
  nb::tuple collate_chosen(const Offsets& chosen) const {
    expect_chosen(start_views_.front(), as_span(chosen), idx(start_views_.front().back()));
    CollatedArrays arrays;
    {
      const nb::gil_scoped_release release;
      collate(start_views_, list_views_, value_views_, as_span(chosen), arrays);
    }
    return nb::make_tuple(to_numpy(std::move(arrays.offsets.all)), to_list(arrays.offsets.sizes),
                          to_numpy(std::move(arrays.members.all)), to_list(arrays.members.sizes),
                          to_numpy(std::move(arrays.values.all)), to_list(arrays.values.sizes));
  }

 private:
  std::span<const Offset> checked(const Offsets& start) const {
    const auto view = as_span(start);
    expect(view.size() == starts_.front().size() && view.front() == 0 && std::is_sorted(view.begin(), view.end()),
           "expected where each graph begins, ascending from 0");
    return view;
  }

  static nb::list to_list(const Buffer<Offset>& sizes) {
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

}  // namespace

void bind_collate(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Collator>(module, "Collator", "The flat arrays of a data set, to collate batches of its graphs.")
      .def(nb::init<std::vector<Offsets>, std::vector<Collator::Lists>, std::vector<Collator::Values>>(), "starts"_a,
           "lists"_a, "values"_a)
      .def("collate", &Collator::collate_chosen, "chosen"_a);
  module.def("gather_starts", &starts_of_chosen, "start"_a, "chosen"_a);
  module.def("gather_rows", &rows_of_chosen, "start"_a, "rows"_a, "chosen"_a, "gathered"_a);
}

}  // namespace cliquepool
