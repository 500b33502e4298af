#include "cliques/ordered_chunks.hpp"

#include <cassert>
#include <utility>

namespace cliquepool::listing {

OrderedChunks::OrderedChunks(Budget& budget) : budget_(&budget), offsets_(budget), members_(budget) {
  offsets_.push_back(0);
}

void OrderedChunks::add(std::size_t chunk, Ragged lists) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(chunk, std::move(lists));
  for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_; it = waiting_.erase(it), ++next_) {
    append(it->second);
  }
}

Ragged OrderedChunks::take() {
  assert(waiting_.empty());
  Ragged result;
  result.offsets = offsets_.take();
  result.members = members_.take();
  return result;
}

void OrderedChunks::append(const Ragged& lists) {
  const auto base = static_cast<Offset>(members_.size());
  Offset* const offsets = offsets_.reserve_more(lists.offsets.size());
  for (std::size_t i = 1; i < lists.offsets.size(); ++i) offsets[i - 1] = base + lists.offsets[i];
  offsets_.commit(lists.offsets.size() - 1);
  members_.append(lists.members.span());
  budget_->release_bytes(lists.bytes());
}

}  // namespace cliquepool::listing
