#include "pooling/branch_exchange.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

namespace {

void wait_until_wanted(const BranchExchange& exchange) {
  while (!exchange.wanted()) std::this_thread::yield();
}

}  // namespace

TEST(branches_offered_are_taken_once_and_their_bounds_are_combined) {
  Budget budget;
  BranchExchange exchange(budget);
  constexpr Node kBranches = 200;
  std::vector<std::atomic<int>> taken(kBranches);
  exchange.begin_work();
  CHECK(!exchange.wanted());
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (const auto branch = exchange.take()) {
        const Node number = branch->start.need;
        ++taken[idx(number)];
        exchange.end(*branch, number, number == 17);
      }
    });
  }
  SharedSearch search;
  SharedSearch other;
  for (Node number = 0; number < kBranches; ++number) {
    wait_until_wanted(exchange);
    exchange.offer(
        {.search = number == 17 ? &other : &search, .start = {.candidates = {}, .chosen = {}, .need = number}});
  }
  for (SharedSearch* of : {&search, &other}) {
    while (const auto branch = exchange.take_until_ended(*of)) {
      ++taken[idx(branch->start.need)];
      exchange.end(*branch, branch->start.need, branch->start.need == 17);
    }
  }
  exchange.end_work();
  for (std::thread& thread : threads) thread.join();
  for (const auto& times : taken) CHECK(times == 1);
  CHECK(search.bound == kBranches - 1);
  CHECK(!search.found_any);
  CHECK(other.bound == 17);
  CHECK(other.found_any);
}

TEST(nothing_is_taken_where_no_thread_works_or_no_branch_was_offered) {
  Budget budget;
  BranchExchange exchange(budget);
  CHECK(!exchange.take());
  exchange.begin_work();
  CHECK(!exchange.take_until_ended(SharedSearch()));
  exchange.end_work();
  CHECK(!exchange.take());
}

TEST(a_thread_that_waits_for_branches_ends_when_another_has_failed) {
  Budget budget;
  BranchExchange exchange(budget);
  exchange.begin_work();  // and never ended: the thread has failed
  std::thread waiting([&] { CHECK_THROWS(exchange.take(), Stopped); });
  wait_until_wanted(exchange);
  budget.stop();
  waiting.join();
}
