#include "base/parallel.hpp"

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

namespace {

struct Interrupt {};

}  // namespace

TEST(every_chunk_is_worked_on_once) {
  for (const unsigned threads : {0U, 1U, 2U, 4U, 9U}) {
    for (const std::size_t chunks : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
      std::vector<std::atomic<int>> times(chunks);
      Budget budget;
      share_out(threads, chunks, budget, [&](unsigned thread, std::size_t chunk) {
        CHECK(thread == 0 || thread < threads);
        ++times[chunk];
      });
      bool once = true;
      for (const auto& count : times) once = once && count == 1;
      CHECK(once);
    }
  }
}

TEST(first_exception_of_a_chunk_comes_out_and_stops_the_others) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    for (const std::size_t failing : {std::size_t{0}, std::size_t{3}, std::size_t{99}}) {
      Budget budget;
      std::atomic<int> worked{0};
      std::string message;
      try {
        share_out(threads, 100, budget, [&](unsigned, std::size_t chunk) {
          budget.check();
          if (chunk == failing) throw std::runtime_error("chunk failed");
          ++worked;
        });
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      CHECK(message == "chunk failed");
      CHECK(worked < 100);
    }
  }
}

TEST(workers_in_long_chunks_stop_when_another_fails) {
  Budget budget({.max_seconds = 20});
  const auto work = [&](unsigned, std::size_t chunk) {
    if (chunk == 1) throw Interrupt{};
    for (;;) budget.check();
  };
  CHECK_THROWS(share_out(4, 4, budget, work), Interrupt);
}

TEST(waiting_caller_still_polls_and_may_end_the_call) {
  const auto owner = std::this_thread::get_id();
  int polls = 0;
  Budget budget({.max_seconds = 20}, [&](const Progress&) {
    if (++polls == 3) throw Interrupt{};
  });
  std::atomic<bool> other_started{false};
  // The caller's thread runs out of chunks; the others would go on for long.
  const auto work = [&](unsigned, std::size_t) {
    if (std::this_thread::get_id() == owner) {
      while (!other_started) std::this_thread::yield();
      return;
    }
    other_started = true;
    for (;;) {
      budget.check();
      std::this_thread::yield();
    }
  };
  CHECK_THROWS(share_out(2, 2, budget, work), Interrupt);
  CHECK(polls == 3);
}

TEST(ranges_cover_everything_once) {
  for (const unsigned threads : {1U, 3U}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{10}, std::size_t{1001}}) {
      std::vector<std::atomic<int>> times(count);
      Budget budget;
      share_ranges(threads, count, 10, budget, [&](unsigned, std::size_t first, std::size_t last) {
        CHECK(first < last && last - first <= 10);
        for (std::size_t i = first; i < last; ++i) ++times[i];
      });
      bool once = true;
      for (const auto& each : times) once = once && each == 1;
      CHECK(once);
    }
  }
}
