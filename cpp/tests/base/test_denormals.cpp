#include "base/denormals.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "base/budget.hpp"
#include "base/parallel.hpp"
#include "nn/list_reductions.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

namespace {

// Sets a mode, and puts back the one it found.
class Mode {
 public:
  explicit Mode(DenormalMode mode) : found_(denormal_mode()) { set_denormal_mode(mode); }
  ~Mode() { set_denormal_mode(found_); }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
  DenormalMode found_;
};

// Halves the smallest normal number, where the compiler cannot do it ahead.
bool halving_gives_zero() {
  volatile float smallest = std::numeric_limits<float>::min();
  const volatile float half = smallest * 0.5F;
  return half == 0.0F;
}

constexpr bool kCanFlush = kFlushDenormals != 0;

// Runs `work` on each of `threads` threads: each waits for all others, so that none works twice.
template <typename Work>
void on_each_thread(unsigned threads, Work&& work) {
  Budget budget;
  std::mutex mutex;
  std::condition_variable all_there;
  unsigned there = 0;
  share_out(threads, threads, budget, [&](unsigned, std::size_t) {
    std::unique_lock lock(mutex);
    if (++there == threads) all_there.notify_all();
    all_there.wait_for(lock, std::chrono::seconds(20), [&] { return there == threads; });
    work();
  });
}

}  // namespace

TEST(denormal_mode_is_what_was_set) {
  const DenormalMode before = denormal_mode();
  {
    const Mode exact(0);
    CHECK(denormal_mode() == 0);
    CHECK(!halving_gives_zero());
    const Mode flushing(kFlushDenormals);
    CHECK(denormal_mode() == kFlushDenormals);
    CHECK(halving_gives_zero() == kCanFlush);
  }
  CHECK(denormal_mode() == before);
}

TEST(threads_treat_denormals_as_their_caller_does) {
  for (const DenormalMode mode : {DenormalMode{0}, kFlushDenormals}) {
    const Mode set(mode);
    std::atomic<unsigned> alike{0};
    on_each_thread(4, [&] { alike += denormal_mode() == mode && halving_gives_zero() == (mode != 0); });
    CHECK(alike == 4);
  }
}

TEST(kernels_flush_denormals_on_all_their_threads) {
  // Enough rows that two threads share them.
  constexpr std::size_t kRows = 1 << 16;
  constexpr std::size_t kWidth = 64;
  Ragged lists;
  for (std::size_t i = 0; i < kRows; ++i) {
    const Node row[] = {static_cast<Node>(i)};
    lists.append(row);
  }
  const std::vector<float> x(kRows * kWidth, std::numeric_limits<float>::min());
  const std::vector<float> scale(kRows, 0.5F);
  Scaling<float> scaling;
  scaling.list_scale = scale;
  std::vector<float> y(x.size());
  for (const DenormalMode mode : {DenormalMode{0}, kFlushDenormals}) {
    const Mode set(mode);
    sum_lists<float>(lists.view(), {x.data(), kRows, kWidth}, scaling, 2, {y.data(), kRows, kWidth});
    const Mode exact(0);  // to compare, which would read a denormal as zero too
    bool as_set = true;
    for (const float value : y) as_set = as_set && (value == 0) == (mode != 0);
    CHECK(as_set);
  }
}
