#include "cliques/clique_sinks.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/check.hpp"
#include "tests/cliques/clique_cases.hpp"

using namespace cliquepool;
using namespace cliquepool::listing;
using namespace cliquepool::tests;

namespace {

// The nodes 10, 20, 30, ...
std::vector<Node> tens(int count) {
  std::vector<Node> nodes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<Node>(10 * (i + 1));
  return nodes;
}
template <int kWords>
Bitset<kWords> set_of(std::initializer_list<int> ids) {
  Bitset<kWords> set{};
  for (const int i : ids) set.add(i);
  return set;
}

}  // namespace

TEST(list_writes_the_nodes_of_local_ids_in_ascending_order) {
  const std::vector<Node> nodes = tens(256);
  Budget budget;
  CliqueList list(1, budget);
  const NodeTable table{nodes.data(), {}};
  list.put(table, Width<1>(), set_of<1>({0, 1, 2, 3, 4, 63}).words);
  list.put(table, Width<2>(), set_of<2>({5, 64, 127}).words);
  list.put(table, Width<4>(), set_of<4>({255}).words);
  list.put(table, Width<0>(3), set_of<3>({0, 64, 128}).words);
  CHECK(to_lists(list.take()) == Cliques{{10, 20, 30, 40, 50, 640}, {60, 650, 1280}, {2560}, {10, 650, 1290}});
}

TEST(list_merges_nodes_that_have_no_local_id) {
  const std::vector<Node> nodes = tens(64);
  const std::vector<Node> unlabelled = {5, 15, 700};
  Budget budget;
  CliqueList list(1, budget);
  list.put({nodes.data(), unlabelled}, Width<1>(), set_of<1>({0, 1}).words);
  list.put({nodes.data(), unlabelled}, Width<1>(), set_of<1>({}).words);
  CHECK(to_lists(list.take()) == Cliques{{5, 10, 15, 20, 700}, {5, 15, 700}});
}

TEST(list_starts_again_after_take) {
  Budget budget;
  CliqueList list(1, budget);
  const std::vector<Node> first = {1, 2};
  const std::vector<Node> second = {3};
  list.put(first);
  CHECK(to_lists(list.take()) == Cliques{{1, 2}});
  CHECK(list.take().size() == 0);
  list.put(second);
  CHECK(to_lists(list.take()) == Cliques{{3}});
}

TEST(sinks_ignore_cliques_below_the_minimum_size) {
  const std::vector<Node> nodes = tens(64);
  const std::vector<Node> unlabelled = {5};
  const std::vector<Node> pair = {1, 2};
  Budget budget;
  CliqueList list(3, budget);
  CliqueCounts counts(3, budget);
  const auto put_all = [&](auto& sink) {
    sink.put(pair);
    sink.put({nodes.data(), {}}, Width<1>(), set_of<1>({0, 1}).words);
    sink.put({nodes.data(), unlabelled}, Width<1>(), set_of<1>({0, 1}).words);
  };
  put_all(list);
  put_all(counts);
  CHECK(to_lists(list.take()) == Cliques{{5, 10, 20}});
  CHECK(counts.by_size() == std::vector<std::int64_t>{0, 0, 0, 1});
}

TEST(counts_are_by_size) {
  const std::vector<Node> nodes = tens(64);
  const std::vector<Node> single = {4};
  Budget budget;
  CliqueCounts counts(1, budget);
  CHECK(counts.by_size().empty());
  counts.put(single);
  counts.put(single);
  counts.put({nodes.data(), {}}, Width<1>(), set_of<1>({0, 7, 9}).words);
  CHECK(counts.by_size() == std::vector<std::int64_t>{0, 2, 0, 1});
}

TEST(every_clique_is_charged_once_it_is_flushed) {
  const std::vector<Node> single = {0};
  Limits limits;
  limits.max_cliques = 1000;
  Budget budget(limits);
  CliqueCounts counts(1, budget);
  for (int i = 0; i < 1000; ++i) counts.put(single);
  counts.flush();
  counts.put(single);
  CHECK_THROWS(counts.flush(), BudgetExceeded);
}
