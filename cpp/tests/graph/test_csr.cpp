#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "graph/csr.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

namespace {

using Ids = std::vector<std::int64_t>;

Graph build(const Ids& pairs, Node num_nodes) {
  Budget budget;
  return build_graph<std::int64_t>(pairs, num_nodes, budget);
}

void validate(const std::vector<Offset>& offsets, const std::vector<Node>& neighbours) {
  Budget budget;
  validate_csr({offsets, neighbours}, budget);
}

std::vector<std::vector<Node>> lists_of(const Graph& graph) {
  const GraphView view = graph.view();
  std::vector<std::vector<Node>> lists;
  for (Node v = 0; v < view.num_nodes(); ++v) lists.emplace_back(view[v].begin(), view[v].end());
  return lists;
}

}  // namespace

TEST(build_graph_drops_loops_and_merges_parallel_and_reversed_edges) {
  const Graph graph = build({2, 1, 1, 2, 1, 2, 0, 0, 3, 1}, 5);
  CHECK(lists_of(graph) == std::vector<std::vector<Node>>{{}, {2, 3}, {1}, {1}, {}});
}

TEST(build_graph_takes_no_edges_and_no_nodes) {
  CHECK(lists_of(build({}, 0)).empty());
  CHECK(lists_of(build({}, 3)) == std::vector<std::vector<Node>>(3));
  CHECK(lists_of(build({1, 1}, 2)) == std::vector<std::vector<Node>>(2));
}

TEST(build_graph_refuses_ids_out_of_range) {
  CHECK_THROWS(build({0, 3}, 3), GraphError);
  CHECK_THROWS(build({-1, 0}, 3), GraphError);
  CHECK_THROWS(build({0, std::numeric_limits<std::int64_t>::max()}, 3), GraphError);
  CHECK_THROWS(build({0, std::int64_t{1} << 32}, 3), GraphError);
  CHECK_THROWS(build({0, 0}, 0), GraphError);
}

TEST(build_graph_reads_columns_at_any_stride) {
  const std::array<std::int64_t, 6> rows{2, 1, 0, 0, 2, 1};  // (0, 2) backwards: sources 0 1 2, targets 1 2 0
  Budget budget;
  const Graph graph = build_graph<std::int64_t>({rows.data() + 2, -1}, {rows.data() + 5, -1}, 3, 3, budget);
  CHECK(lists_of(graph) == std::vector<std::vector<Node>>{{1, 2}, {0, 2}, {0, 1}});
}

TEST(build_graph_agrees_with_sets_and_is_valid) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const Node num_nodes = std::uniform_int_distribution<Node>(1, 40)(random);
    std::uniform_int_distribution<std::int64_t> node(0, num_nodes - 1);
    Ids pairs(2 * std::uniform_int_distribution<std::size_t>(0, 200)(random));
    for (std::int64_t& id : pairs) id = node(random);
    if (round % 3 == 0) std::sort(pairs.begin(), pairs.end());

    std::vector<std::set<Node>> expected(idx(num_nodes));
    for (std::size_t i = 0; i < pairs.size(); i += 2) {
      if (pairs[i] == pairs[i + 1]) continue;
      expected[idx(pairs[i])].insert(static_cast<Node>(pairs[i + 1]));
      expected[idx(pairs[i + 1])].insert(static_cast<Node>(pairs[i]));
    }
    const Graph graph = build(pairs, num_nodes);
    std::vector<std::int32_t> narrow;
    for (const std::int64_t id : pairs) narrow.push_back(static_cast<std::int32_t>(id));
    Budget budget;
    CHECK(lists_of(build_graph<std::int32_t>(narrow, num_nodes, budget)) == lists_of(graph));
    const GraphView view = graph.view();
    CHECK(view.num_nodes() == num_nodes);
    for (Node v = 0; v < num_nodes; ++v) CHECK(check::equal(view[v], expected[idx(v)]));
    validate_csr(view, budget);
  }
}

TEST(build_graph_stays_within_its_bytes) {
  Budget budget(Limits{.max_bytes = 1 << 20});
  CHECK_THROWS(build_graph<std::int64_t>(Ids{0, 1}, kMaxNodes, budget), BudgetExceeded);
}

TEST(validate_csr_takes_graphs) {
  validate({0}, {});
  validate({0, 0, 0}, {});
  validate({0, 1, 3, 4}, {1, 0, 2, 1});
}

TEST(validate_csr_refuses_everything_else) {
  CHECK_THROWS(validate({}, {}), GraphError);
  CHECK_THROWS(validate({1, 1}, {0}), GraphError);                 // does not start at 0
  CHECK_THROWS(validate({0, 2, 1, 2}, {1, 2}), GraphError);        // falls
  CHECK_THROWS(validate({0, 1}, {}), GraphError);                  // ends beyond the neighbours
  CHECK_THROWS(validate({0, 0, 0}, {1, 0}), GraphError);           // ends before them
  CHECK_THROWS(validate({0, 1, 2}, {2, 0}), GraphError);           // no such node
  CHECK_THROWS(validate({0, 1, 2}, {-1, 0}), GraphError);          // nor this
  CHECK_THROWS(validate({0, 1}, {0}), GraphError);                 // loop
  CHECK_THROWS(validate({0, 2, 4}, {1, 1, 0, 0}), GraphError);     // repeated
  CHECK_THROWS(validate({0, 2, 3, 4}, {2, 1, 0, 0}), GraphError);  // not ascending
  CHECK_THROWS(validate({0, 1, 1}, {1}), GraphError);              // one direction only
  CHECK_THROWS(validate({0, 1, 2, 4}, {1, 2, 0, 1}), GraphError);  // 0-1 and 2-0 lack the other
  CHECK_THROWS(validate({0, std::numeric_limits<Offset>::max(), 0}, {}), GraphError);
  CHECK_THROWS(validate({0, std::numeric_limits<Offset>::max()}, {}), GraphError);
  CHECK_THROWS(validate({0, std::numeric_limits<Offset>::min(), 0}, {}), GraphError);
}
