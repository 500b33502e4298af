#include "graph/csr_by_parts.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "graph/csr.hpp"
#include "tests/check.hpp"
#include "tests/large_graphs.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

bool same_graph(const Graph& a, const Graph& b) {
  const auto equal = [](auto x, auto y) { return std::equal(x.begin(), x.end(), y.begin(), y.end()); };
  return equal(a.offsets.span(), b.offsets.span()) && equal(a.neighbours.span(), b.neighbours.span());
}

// With loops, parallel and reversed edges.
template <typename Id>
std::vector<Id> random_pairs(std::size_t num_edges, Node num_nodes, Random& random) {
  std::vector<Id> pairs(2 * num_edges);
  for (Id& end : pairs) end = random_between(0, num_nodes - 1, random) % random_between(1, num_nodes, random);
  return pairs;
}

}  // namespace

TEST(graphs_built_by_parts_are_those_built_by_nodes) {
  Random random(61);
  for (int i = 0; i < 60; ++i) {
    const Node n = random_between(1, i < 40 ? 50 : 3000, random);
    const std::size_t num_edges = idx(random_between(0, i < 50 ? 200 : 100000, random));
    const auto pairs = random_pairs<std::int64_t>(num_edges, n, random);
    const std::vector<Node> narrow(pairs.begin(), pairs.end());
    Budget budget;
    const Graph expected = build_graph<std::int64_t>(pairs, n, budget);
    for (const unsigned threads : {1U, 3U}) {
      CHECK(same_graph(expected, build_by_parts<std::int64_t>({pairs.data(), 2}, {pairs.data() + 1, 2}, num_edges, n,
                                                              threads, budget)));
      CHECK(same_graph(
          expected, build_by_parts<Node>({narrow.data(), 2}, {narrow.data() + 1, 2}, num_edges, n, threads, budget)));
    }
  }
}

TEST(large_graphs_are_the_same_for_any_number_of_threads_and_valid) {
  Random random(62);
  const Node n = 100000;
  const auto pairs = random_pairs<Node>(600000, n, random);
  Budget budget;
  const Graph expected = build_graph<Node>(pairs, n, budget);
  validate_csr(expected.view(), budget);
  CHECK(expected.view().num_edges() > 300000);
  for (const unsigned threads : kThreadCounts)
    CHECK(same_graph(expected, build_graph<Node>(pairs, n, budget, threads)));
}

TEST(large_graphs_name_the_first_wrong_edge) {
  Random random(63);
  auto pairs = random_pairs<std::int64_t>(600000, 1000, random);
  for (const std::size_t wrong : {std::size_t{600001}, std::size_t{400000}, std::size_t{70000}}) {
    pairs[wrong] = wrong % 2 == 0 ? 1000 : -1;
    for (const unsigned threads : {1U, 4U}) {
      Budget budget;
      std::string message;
      try {
        build_graph<std::int64_t>(pairs, 1000, budget, threads);
      } catch (const GraphError& error) {
        message = error.what();
      }
      CHECK(message.starts_with("edge " + std::to_string(wrong / 2) + ": expected node ids from 0 to 999, got ("));
    }
  }
}

TEST(building_by_parts_stays_within_its_bytes) {
  Random random(64);
  const auto pairs = random_pairs<Node>(300000, 1000, random);
  Budget budget({.max_bytes = 1000000});
  CHECK_THROWS(build_graph<Node>(pairs, 1000, budget, 2), BudgetExceeded);
  CHECK(budget.bytes() == 0);
}
