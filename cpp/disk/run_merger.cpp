#include "disk/run_merger.hpp"

#include <algorithm>
#include <utility>

namespace cliquepool {

namespace {

// The order of a heap: its top is the least list.
constexpr auto kIsLater = [](const auto& a, const auto& b) {
  return std::lexicographical_compare(b.list.begin(), b.list.end(), a.list.begin(), a.list.end());
};

constexpr Offset kListsPerCharge = 256;

}  // namespace

RunMerger::RunMerger(std::vector<RaggedView> runs) : runs_(std::move(runs)), next_(runs_.size(), 0) {
  for (std::size_t run = 0; run < runs_.size(); ++run) push_next(run);
}

// Adds the next list of a run to the heap, if there is one.
void RunMerger::push_next(std::size_t run) {
  if (next_[run] == runs_[run].size()) return;
  heads_.push_back({runs_[run][next_[run]++], run});
  std::push_heap(heads_.begin(), heads_.end(), kIsLater);
}

Ragged RunMerger::take(std::size_t most_members, Budget& budget) {
  Pace pace(budget);
  Ragged merged;
  std::int64_t charged = 0;
  while (!heads_.empty()) {
    const Head head = heads_.front();
    if (merged.size() > 0 && merged.members.size() + head.list.size() > most_members) break;
    std::pop_heap(heads_.begin(), heads_.end(), kIsLater);
    heads_.pop_back();
    merged.append(head.list);
    push_next(head.run);
    pace.step(head.list.size() + 1);
    if (merged.size() % kListsPerCharge == 0) budget.add_bytes(merged.bytes() - std::exchange(charged, merged.bytes()));
  }
  budget.add_bytes(merged.bytes() - charged);
  return merged;
}

}  // namespace cliquepool
