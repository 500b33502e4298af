#include "pooling/branch_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace cliquepool {

void BranchExchange::begin_work() {
  const std::lock_guard lock(mutex_);
  ++working_;
}

void BranchExchange::end_work() {
  const std::lock_guard lock(mutex_);
  if (--working_ == 0) changed_.notify_all();
}

void BranchExchange::offer(OfferedBranch branch) {
  const std::lock_guard lock(mutex_);
  ++branch.search->open_branches;
  branches_.push_back(std::move(branch));
  update_wanted();
  changed_.notify_one();
}

std::optional<OfferedBranch> BranchExchange::take() {
  return wait([&] { return working_ == 0; });
}

std::optional<OfferedBranch> BranchExchange::take_until_ended(const SharedSearch& search) {
  return wait([&] { return search.open_branches == 0; });
}

template <typename Finished>
std::optional<OfferedBranch> BranchExchange::wait(Finished&& finished) {
  std::unique_lock lock(mutex_);
  ++waiting_;
  update_wanted();
  while (branches_.empty() && !finished()) {
    if (changed_.wait_for(lock, Budget::kPollInterval) == std::cv_status::no_timeout) continue;
    // Another thread may have failed, and then ends no branch.
    lock.unlock();
    budget_.check();
    lock.lock();
  }
  --waiting_;
  std::optional<OfferedBranch> branch;
  if (!finished()) {
    branch = std::move(branches_.front());
    branches_.pop_front();
    ++working_;
  }
  update_wanted();
  return branch;
}

void BranchExchange::end(const OfferedBranch& branch, Node bound, bool found_any) {
  const std::lock_guard lock(mutex_);
  SharedSearch& search = *branch.search;
  search.bound = std::max(search.bound, bound);
  search.found_any = search.found_any || found_any;
  --search.open_branches;
  --working_;
  changed_.notify_all();
}

}  // namespace cliquepool
