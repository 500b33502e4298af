// Parallel loops over numbered chunks of work.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/budget.hpp"
#include "base/denormals.hpp"

namespace cliquepool {

// Calls work(thread, chunk) once for every chunk in [0, chunks), on up to `threads` threads, the caller's among them.
// The first exception stops the others and is rethrown. While the caller waits for the others, it still polls. All
// threads have the caller's mode of denormal numbers.
template <typename Work>
void share_out(unsigned threads, std::size_t chunks, Budget& budget, Work&& work) {
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, chunks));
  if (threads <= 1) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) work(0U, chunk);
    return;
  }

  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::condition_variable ended;
  std::exception_ptr failure;
  unsigned running = threads - 1;
  const DenormalMode mode = denormal_mode();

  auto drain = [&](unsigned thread) {
    try {
      for (std::size_t chunk = next++; chunk < chunks; chunk = next++) work(thread, chunk);
    } catch (const Stopped&) {
      next = chunks;
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = chunks;
      budget.stop();
    }
  };

  std::vector<std::thread> workers;
  workers.reserve(threads - 1);
  try {
    for (unsigned thread = 1; thread < threads; ++thread) {
      workers.emplace_back([&, thread] {
        set_denormal_mode(mode);  // on some systems, a new thread does not inherit it
        drain(thread);
        const std::lock_guard lock(mutex);
        --running;
        ended.notify_one();
      });
    }
  } catch (const std::system_error&) {
    // The system has no more threads: continue with those that started.
    const std::lock_guard lock(mutex);
    running -= threads - 1 - static_cast<unsigned>(workers.size());
  }

  drain(0);
  {
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, std::chrono::milliseconds(20), [&] { return running == 0; })) {
      if (failure) continue;
      lock.unlock();
      try {
        budget.check();
      } catch (...) {
        const std::lock_guard relock(mutex);
        if (!failure) failure = std::current_exception();
        budget.stop();
      }
      lock.lock();
    }
  }
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
}

// Calls work(thread, first, last) on consecutive ranges of 0..count-1, each of `per_range` but the last, as share_out
// does with chunks. The budget is checked before each range but the first.
template <typename Work>
void share_ranges(unsigned threads, std::size_t count, std::size_t per_range, Budget& budget, Work&& work) {
  share_out(threads, (count + per_range - 1) / per_range, budget, [&](unsigned thread, std::size_t range) {
    if (range > 0) budget.check();
    work(thread, range * per_range, std::min(count, (range + 1) * per_range));
  });
}

}  // namespace cliquepool
