#include "base/sorting.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "graph/compact_ids.hpp"
#include "graph/csr.hpp"
#include "graph/twins.hpp"
#include "hierarchy/coarsening.hpp"
#include "pooling/pooler.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

namespace {

struct Interrupt {};

constexpr std::chrono::milliseconds kAtEveryCheck{0};

// Inputs that are hard on one way of sorting or another.
std::vector<std::vector<std::uint32_t>> inputs(std::size_t size) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<std::uint32_t> rising(size);
  for (std::size_t i = 0; i < size; ++i) rising[i] = static_cast<std::uint32_t>(i);
  auto falling = rising;
  std::reverse(falling.begin(), falling.end());
  auto shuffled = rising;
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  auto few_values = shuffled;
  for (auto& value : few_values) value %= 5;
  auto up_and_down = rising;
  for (std::size_t i = size / 2; i < size; ++i) up_and_down[i] = static_cast<std::uint32_t>(size - i);
  // A median of three of this is always among the least left (Musser 1997).
  std::vector<std::uint32_t> against_medians(size);
  const std::size_t half = size / 2;
  for (std::size_t i = 0; i < half; ++i) {
    against_medians[i] = static_cast<std::uint32_t>(i % 2 == 0 ? i : i + half);
    against_medians[half + i] = static_cast<std::uint32_t>(2 * i);
  }
  return {rising, falling, shuffled, few_values, up_and_down, against_medians, std::vector<std::uint32_t>(size, 7)};
}

constexpr std::int64_t kStepsBetweenChecks = 1 << 12;  // of a Pace

// How often `work` checks the budget.
template <typename Work>
std::int64_t checks_of(Work&& work) {
  std::int64_t checks = 0;
  Budget budget({}, [&](const Progress&) { ++checks; }, kAtEveryCheck);
  work(budget);
  return checks;
}

Graph graph_of(const std::vector<Node>& pairs, Node num_nodes) {
  Budget budget;
  return build_graph<Node>(pairs, num_nodes, budget);
}

}  // namespace

TEST(sorting_in_pieces_gives_what_sorting_at_once_gives) {
  constexpr std::size_t kPiece = kSortedAtOnce;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, kPiece - 1, kPiece,
                                 kPiece + 1, 2 * kPiece + 3, 50 * kPiece}) {
    for (std::vector<std::uint32_t>& values : inputs(size)) {
      std::vector<std::uint32_t> expected = values;
      std::sort(expected.begin(), expected.end());
      Budget budget;
      Pace pace(budget);
      sort_in_pieces(values.data(), values.data() + values.size(), pace);
      CHECK(values == expected);
    }
  }
}

TEST(sorting_checks_the_budget_every_few_thousand_elements) {
  for (std::vector<std::uint32_t>& values : inputs(std::size_t{1} << 18)) {
    std::int64_t compared = 0;
    std::int64_t at_last_check = 0;
    std::int64_t longest = 0;
    Budget budget(
        {},
        [&](const Progress&) {
          longest = std::max(longest, compared - at_last_check);
          at_last_check = compared;
        },
        kAtEveryCheck);
    Pace pace(budget);
    sort_in_pieces(values.data(), values.data() + values.size(), pace, [&](std::uint32_t a, std::uint32_t b) {
      ++compared;
      return a < b;
    });
    CHECK(at_last_check > 0);
    CHECK(longest <= 64 * kSortedAtOnce);
    CHECK(compared <= 128 * static_cast<std::int64_t>(values.size()));
    CHECK(std::is_sorted(values.begin(), values.end()));
  }
}

TEST(interrupt_ends_a_long_sort) {
  for (std::vector<std::uint32_t>& values : inputs(std::size_t{1} << 16)) {
    for (const int at : {1, 5, 20}) {
      int checks = 0;
      Budget budget(
          {},
          [&](const Progress&) {
            if (++checks == at) throw Interrupt{};
          },
          kAtEveryCheck);
      Pace pace(budget);
      CHECK_THROWS(sort_in_pieces(values.data(), values.data() + values.size(), pace), Interrupt);
    }
  }
}

TEST(coarsening_checks_the_budget_while_it_sorts) {
  // All but sorting are less than 30 steps a pool; the two sorts are that many again.
  constexpr Node kNodes = 1 << 17;
  std::vector<Node> pairs;
  for (Node v = 1; v < kNodes; ++v) {
    pairs.push_back(v - 1);
    pairs.push_back(v);
  }
  const Graph graph = graph_of(pairs, kNodes);
  Ragged pools;
  Budget unlimited;
  Pooler().run(graph.view(), {}, unlimited, pools);
  TwinLevel coarse;
  const std::int64_t checks =
      checks_of([&](Budget& budget) { Coarsener().run(graph.view(), pools.view(), {}, budget, coarse); });
  CHECK(checks * kStepsBetweenChecks >= 38 * kNodes);
}

TEST(search_for_twins_checks_the_budget_in_every_pass) {
  constexpr Node kNodes = 1 << 14;
  constexpr Node kDegree = 16;
  std::mt19937 random(3);
  std::vector<Node> pairs;
  for (Node v = 0; v < kNodes; ++v) {
    for (Node i = 0; i < kDegree; ++i) {
      pairs.push_back(v);
      pairs.push_back(static_cast<Node>(random() % kNodes));
    }
  }
  const Graph graph = graph_of(pairs, kNodes);
  TwinLevel level;
  const std::int64_t checks = checks_of([&](Budget& budget) { TwinFinder().run(graph.view(), budget, level); });
  // The hashes take a step a neighbour, the comparison of them half of one.
  CHECK(5 * checks * kStepsBetweenChecks >= 6 * static_cast<std::int64_t>(graph.neighbours.size()));
}

TEST(closing_a_round_checks_the_budget_while_it_sorts) {
  // Triangles that share no node: one round, and as many pools.
  constexpr Node kTriangles = 1 << 16;
  std::vector<Node> pairs;
  for (Node t = 0; t < kTriangles; ++t)
    for (const auto& [u, v] : {std::pair{0, 1}, std::pair{1, 2}, std::pair{0, 2}}) {
      pairs.push_back(3 * t + u);
      pairs.push_back(3 * t + v);
    }
  const Graph graph = graph_of(pairs, 3 * kTriangles);
  Ragged pools;
  const std::int64_t checks = checks_of([&](Budget& budget) { Pooler().run(graph.view(), {}, budget, pools); });
  // All but sorting are 14 steps a pool.
  CHECK(2 * checks * kStepsBetweenChecks >= 31 * kTriangles);
}

TEST(building_a_graph_checks_the_budget_while_it_ranks_ids) {
  std::mt19937_64 random(5);
  std::vector<std::int64_t> ids(std::size_t{1} << 18);
  for (std::int64_t& id : ids) id = static_cast<std::int64_t>(random() >> 2);
  const std::int64_t checks = checks_of([&](Budget& budget) { compact_ids<std::int64_t>(ids, budget); });
  CHECK(checks * kStepsBetweenChecks >= static_cast<std::int64_t>(8 * ids.size()));
}
