#include "base/budget.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "hierarchy/hierarchy.hpp"
#include "pooling/pooler.hpp"
#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;

namespace {

struct Interrupt {};

// Pools `graph` within `limits` and says which of them ended it. Nothing else may come out.
Limit exceeded_by(GraphView graph, const Limits& limits, unsigned threads) {
  Pooler pooler;
  Ragged pools;
  Budget budget(limits);
  try {
    pooler.run(graph, {.threads = threads}, budget, pools);
  } catch (const BudgetExceeded& error) {
    CHECK(error.reached > error.allowed);
    return error.limit;
  }
  throw std::runtime_error("the budget was not exceeded");
}

// Too many cliques for any machine. 120 vertices are pooled vertex by vertex, 60 at once.
const Graph& many_cliques(Node triangles) {
  static const Graph forty = naive::graph_of(naive::complement_of_groups(40, 3));
  static const Graph twenty = naive::graph_of(naive::complement_of_groups(20, 3));
  return triangles == 40 ? forty : twenty;
}

template <typename Body>
void for_each_case(Body&& body) {
  for (const Node triangles : {20, 40})
    for (const unsigned threads : {1U, 2U, 4U}) body(many_cliques(triangles).view(), threads);
}

void wait_milliseconds(int count) { std::this_thread::sleep_for(std::chrono::milliseconds(count)); }

}  // namespace

TEST(limit_on_cliques_ends_pooling) {
  for_each_case([](GraphView graph, unsigned threads) {
    CHECK(exceeded_by(graph, {.max_cliques = 10'000}, threads) == Limit::cliques);
  });
}

TEST(limit_on_bytes_ends_pooling) {
  for_each_case([](GraphView graph, unsigned threads) {
    CHECK(exceeded_by(graph, {.max_bytes = 4 << 20}, threads) == Limit::bytes);
    CHECK(exceeded_by(graph, {.max_bytes = 10}, threads) == Limit::bytes);
  });
}

TEST(limit_on_seconds_ends_pooling_soon) {
  for_each_case([](GraphView graph, unsigned threads) {
    const auto start = std::chrono::steady_clock::now();
    CHECK(exceeded_by(graph, {.max_seconds = 0.02}, threads) == Limit::seconds);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
    CHECK(exceeded_by(graph, {.max_seconds = 0}, threads) == Limit::seconds);
  });
}

TEST(exceeded_budget_has_the_limit_and_the_amount_reached) {
  Budget budget({.max_cliques = 5});
  budget.add_cliques(3);
  budget.add_cliques(2);
  try {
    budget.add_cliques(4);
    CHECK(false);
  } catch (const BudgetExceeded& error) {
    CHECK(error.limit == Limit::cliques);
    CHECK(error.allowed == 5);
    CHECK(error.reached == 9);
  }
}

TEST(pooling_within_its_limits_is_not_ended) {
  Pooler pooler;
  Ragged pools;
  const Graph graph = naive::graph_of(naive::complement_of_groups(6, 3));
  Budget budget({.max_cliques = 729, .max_seconds = 60, .max_bytes = 1 << 20});
  pooler.run(graph.view(), {}, budget, pools);
  CHECK(pools.size() == 729);
  Budget less({.max_cliques = 728});
  CHECK_THROWS(pooler.run(graph.view(), {}, less, pools), BudgetExceeded);
}

TEST(released_bytes_may_be_used_again) {
  Budget budget({.max_bytes = 100});
  for (int i = 0; i < 10; ++i) {
    budget.add_bytes(90);
    budget.release_bytes(90);
  }
  budget.add_bytes(100);
  CHECK_THROWS(budget.add_bytes(1), BudgetExceeded);
}

TEST(charge_whose_sum_does_not_fit_into_64_bits_is_refused) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t max_bytes : {kMost, kMost - 1, std::int64_t{1000}}) {
    Budget budget({.max_bytes = max_bytes});
    budget.add_bytes(100);
    for (const std::int64_t count : {kMost, kMost - 99}) CHECK_THROWS(budget.add_bytes(count), BudgetExceeded);
    CHECK(budget.bytes() == 100);
    budget.add_bytes(max_bytes - 100);
    CHECK(budget.bytes() == max_bytes);
    CHECK_THROWS(budget.add_bytes(1), BudgetExceeded);
    CHECK(budget.bytes() == max_bytes);
  }
}

TEST(threads_are_never_charged_more_than_the_limit_together) {
  Budget budget({.max_bytes = 1000});
  std::atomic<int> refused{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) {
        try {
          budget.add_bytes(400);
          CHECK(budget.bytes() <= 1000);
          budget.release_bytes(400);
        } catch (const BudgetExceeded&) {
          ++refused;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(refused < 4000);
  CHECK(budget.bytes() == 0);
}

TEST(throwing_poll_ends_pooling) {
  for_each_case([](GraphView graph, unsigned threads) {
    Pooler pooler;
    Ragged pools;
    int polls = 0;
    Budget budget({}, [&](const Progress&) {
      if (++polls == 2) throw Interrupt{};
    });
    CHECK_THROWS(pooler.run(graph, {.threads = threads}, budget, pools), Interrupt);
    CHECK(polls == 2);
  });
}

TEST(poll_runs_on_the_owner_alone_and_sees_progress) {
  const auto owner = std::this_thread::get_id();
  std::int64_t most_done = -1;
  std::int64_t total = 0;
  Budget budget({}, [&](const Progress& progress) {
    CHECK(std::this_thread::get_id() == owner);
    CHECK(progress.done >= most_done);
    most_done = progress.done;
    total = progress.total;
  });
  budget.set_total(40);
  share_out(4, 40, budget, [&](unsigned, std::size_t) {
    wait_milliseconds(10);
    budget.add_done(1);
    budget.check();
  });
  CHECK(total == 40);
  CHECK(most_done > 0);
}

TEST(pace_checks_every_few_thousand_steps) {
  int polls = 0;
  Budget budget({}, [&](const Progress&) {
    ++polls;
    throw Interrupt{};
  });
  Pace pace(budget);
  for (int i = 0; i < 1000; ++i) pace.step();
  CHECK(polls == 0);
  CHECK_THROWS(pace.step(1'000'000), Interrupt);
  Pace other(budget);
  wait_milliseconds(60);
  const auto many_steps = [&] {
    for (int i = 0; i < 10'000; ++i) other.step();
  };
  CHECK_THROWS(many_steps(), Interrupt);
}

TEST(limits_end_a_batch_of_hierarchies) {
  // Eighty small graphs, then one that cannot be pooled.
  std::vector<naive::Matrix> graphs(80, naive::path(6));
  graphs.push_back(naive::complement_of_groups(40, 3));
  Buffer<Offset> node_start(1, 0);
  Buffer<Offset> offsets(1, 0);
  Buffer<Node> neighbours;
  for (const naive::Matrix& adjacent : graphs) {
    const Graph graph = naive::graph_of(adjacent);
    for (std::size_t v = 1; v < graph.offsets.size(); ++v)
      offsets.push_back(static_cast<Offset>(neighbours.size()) + graph.offsets[v]);
    neighbours.append(graph.neighbours.span());
    node_start.push_back(static_cast<Offset>(offsets.size()) - 1);
  }
  const EndToEnd batch(node_start.span(), offsets.span(), neighbours.span());
  for (const unsigned threads : {1U, 2U, 4U}) {
    for (const Limits& limits :
         {Limits{.max_cliques = 20'000}, Limits{.max_seconds = 0.1}, Limits{.max_bytes = 8 << 20}}) {
      Budget budget(limits);
      CHECK_THROWS(build_hierarchies(batch.graphs(), kUntilConverged, Parts::all, threads, budget), BudgetExceeded);
    }
  }
}

TEST(blocks_cover_a_range_with_a_check_before_each) {
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 16, (std::size_t{1} << 17) + 3}) {
    std::size_t next = 0;
    std::size_t blocks = 0;
    std::size_t checks = 0;
    Budget budget({}, [&](const Progress&) { ++checks; }, std::chrono::milliseconds(0));
    for_each_block(count, budget, [&](std::size_t first, std::size_t last) {
      CHECK(first == next && first < last);
      next = last;
      ++blocks;
    });
    CHECK(next == count);
    CHECK(checks == blocks);
  }
}
