#include "hierarchy/closed_cover.hpp"

namespace cliquepool {

namespace {

inline void prefetch([[maybe_unused]] const void* address) {
#if defined(__GNUC__)
  __builtin_prefetch(address);
#endif
}

}  // namespace

ClosedCover::ClosedCover() = default;
ClosedCover::~ClosedCover() = default;
ClosedCover::ClosedCover(ClosedCover&&) noexcept = default;
ClosedCover& ClosedCover::operator=(ClosedCover&&) noexcept = default;

void ClosedCover::bind(Budget& budget) {
  budget_ = &budget;
  bind_all(budget, entered_, covered_, before_);
  if (below_) below_->bind(budget);
}

void ClosedCover::unbind() {
  unbind_all(entered_, covered_, before_);
  if (below_) below_->unbind();
  budget_ = nullptr;
}

void ClosedCover::reset(const LevelRows& rows) {
  rows_ = rows;
  implied_ = rows.implied() != nullptr;
  before_.clear();
  entered_.reset(idx(rows.num_nodes()));
  if (!implied_) {
    covered_.reset(idx(rows.num_nodes()));
    return;
  }
  if (!below_) {
    below_ = std::make_unique<ReachedClasses>();
    below_->bind(*budget_);
  }
  below_->reset(rows.implied()->below, rows.implied()->touching, idx(rows.num_nodes()));
}

void ClosedCover::insert(Node v, Pace& pace) {
  if (!entered_.insert(v)) return;
  if (implied_) {
    for (const Node member : rows_.implied()->members[v]) below_->insert(member, pace);
    return;
  }
  covered_.insert(v);
  const auto neighbours = rows_.stored()[v];
  for (const Node u : neighbours) covered_.insert(u);
  pace.step(neighbours.size() + 1);
}

void ClosedCover::mark() {
  before_.push_back({entered_.size(), covered_.size()});
  if (implied_) below_->mark();
}

void ClosedCover::pop() {
  entered_.truncate(before_.back().entered);
  if (implied_) {
    below_->pop();
  } else {
    covered_.truncate(before_.back().covered);
  }
  before_.pop_back();
}

std::span<const Node> ClosedCover::members() const { return implied_ ? below_->members() : covered_.members(); }

void ReachedClasses::reset(const LevelRows& rows, RaggedView touching, std::size_t num_classes) {
  cover_.reset(rows);
  touching_ = touching;
  reached_.reset(num_classes);
  before_.clear();
}

void ReachedClasses::insert(Node v, Pace& pace) {
  const std::size_t before = cover_.size();
  cover_.insert(v, pace);
  const auto added = cover_.members().subspan(before);
  for (std::size_t i = 0; i < added.size(); ++i) {
    prefetch_lists(added, i);
    const auto classes = touching_[added[i]];
    for (const Node c : classes) reached_.insert(c);
    pace.step(classes.size());
  }
}

// The lists of the vertices that come next are short and far apart: without this, most of the time is spent waiting for
// them.
inline void ReachedClasses::prefetch_lists(std::span<const Node> vertices, std::size_t current) const {
  constexpr std::size_t kListsAhead = 8;
  if (current + 2 * kListsAhead < vertices.size())
    prefetch(touching_.offsets.data() + vertices[current + 2 * kListsAhead]);
  if (current + kListsAhead < vertices.size())
    prefetch(touching_.members.data() + touching_.offsets[idx(vertices[current + kListsAhead])]);
}

void ReachedClasses::mark() {
  before_.push_back(reached_.size());
  cover_.mark();
}

void ReachedClasses::pop() {
  cover_.pop();
  reached_.truncate(before_.back());
  before_.pop_back();
}

}  // namespace cliquepool
