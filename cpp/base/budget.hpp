// The limits of a call, and the checks of them in long loops.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

namespace cliquepool {

struct Limits {
  std::int64_t max_cliques = std::numeric_limits<std::int64_t>::max();
  double max_seconds = std::numeric_limits<double>::infinity();
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

enum class Limit { cliques, seconds, bytes };

// Thrown when a limit is exceeded. `reached` is the amount that the call used, or was about to use; `cliques` are those
// found until then.
class BudgetExceeded : public std::runtime_error {
 public:
  BudgetExceeded(Limit which, double may_use, double would_use, std::int64_t found = 0)
      : std::runtime_error("budget exceeded"), limit(which), allowed(may_use), reached(would_use), cliques(found) {}
  Limit limit;
  double allowed;
  double reached;
  std::int64_t cliques;
};

// Thrown in a worker thread when another thread has already failed; never leaves the core.
struct Stopped {};

// How far a call has come: `done` of `total` nodes.
struct Progress {
  std::int64_t done = 0;
  std::int64_t total = 0;
};

// Counts what one call uses. The threads of a call share it. `poll` runs on the thread that made the budget alone,
// about twenty times a second, and may throw (an interrupt) to end the call. With an interval of 0 it runs at every
// check.
class Budget {
 public:
  using Poll = std::function<void(const Progress&)>;
  static constexpr auto kPollInterval = std::chrono::milliseconds(50);

  explicit Budget(const Limits& limits = {}, Poll poll = {}, std::chrono::milliseconds poll_interval = kPollInterval)
      : limits_(limits),
        poll_(std::move(poll)),
        poll_interval_(poll_interval),
        owner_(std::this_thread::get_id()),
        start_(Clock::now()) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  const Limits& limits() const { return limits_; }

  void add_cliques(std::int64_t count) {
    const std::int64_t reached = cliques_.fetch_add(count, std::memory_order_relaxed) + count;
    if (reached > limits_.max_cliques) fail(Limit::cliques, static_cast<double>(reached));
  }
  // Charges nothing where it throws. Arrays charge themselves: see charged_buffer.hpp.
  void add_bytes(std::int64_t count) {
    std::int64_t used = bytes_.load(std::memory_order_relaxed);
    do {
      // The sum of a charge that is refused may not fit into 64 bits.
      if (count > limits_.max_bytes - used) fail(Limit::bytes, static_cast<double>(used) + static_cast<double>(count));
    } while (!bytes_.compare_exchange_weak(used, used + count, std::memory_order_relaxed));
  }
  void release_bytes(std::int64_t count) { bytes_.fetch_sub(count, std::memory_order_relaxed); }
  std::int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

  void set_total(std::int64_t total) {
    done_.store(0, std::memory_order_relaxed);
    total_.store(total, std::memory_order_relaxed);
  }
  void add_done(std::int64_t count) { done_.fetch_add(count, std::memory_order_relaxed); }

  // Checks the time and, on the owner's thread, polls. To be called every few thousand steps: see Pace.
  void check() {
    if (stopped_.load(std::memory_order_relaxed)) throw Stopped{};
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    if (seconds > limits_.max_seconds) fail(Limit::seconds, seconds);
    if (poll_ && std::this_thread::get_id() == owner_ && now >= next_poll_) {
      next_poll_ = now + poll_interval_;
      poll_({done_.load(std::memory_order_relaxed), total_.load(std::memory_order_relaxed)});
    }
  }

  // Makes the next check of every thread throw Stopped.
  void stop() { stopped_.store(true, std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  [[noreturn]] void fail(Limit limit, double reached) const {
    const double allowed = limit == Limit::cliques   ? static_cast<double>(limits_.max_cliques)
                           : limit == Limit::seconds ? limits_.max_seconds
                                                     : static_cast<double>(limits_.max_bytes);
    throw BudgetExceeded(limit, allowed, reached, cliques_.load(std::memory_order_relaxed));
  }

  Limits limits_;
  Poll poll_;
  std::chrono::milliseconds poll_interval_;
  std::thread::id owner_;
  Clock::time_point start_;
  Clock::time_point next_poll_{};  // used by the owner's thread alone
  std::atomic<std::int64_t> cliques_{0};
  std::atomic<std::int64_t> bytes_{0};
  std::atomic<std::int64_t> done_{0};
  std::atomic<std::int64_t> total_{0};
  std::atomic<bool> stopped_{false};
};

// Checks the budget every few thousand steps: `pace.step()` in an innermost loop costs one addition.
class Pace {
 public:
  explicit Pace(Budget& budget) : budget_(&budget) {}
  void step() {
    if (++steps_ >= kStepsBetweenChecks) pause();
  }
  // A step that stands for many.
  void step(std::uint64_t weight) {
    steps_ += weight;
    if (steps_ >= kStepsBetweenChecks) pause();
  }

 private:
  static constexpr std::uint64_t kStepsBetweenChecks = 1 << 12;
  void pause() {
    steps_ = 0;
    budget_->check();
  }

  Budget* budget_;
  std::uint64_t steps_ = 0;
};

// Calls work(first, last) on consecutive blocks of 0..count-1, with a check of the budget before each. For loops too
// tight for Pace.
template <typename Work>
void for_each_block(std::size_t count, Budget& budget, Work&& work) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  for (std::size_t first = 0; first < count; first += kBlock) {
    budget.check();
    work(first, std::min(count, first + kBlock));
  }
}

}  // namespace cliquepool
