#include "pooling/degeneracy_pooling.hpp"

#include <algorithm>
#include <bit>

#include "base/parallel.hpp"
#include "pooling/pairs_and_singles.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kSearchesPerChunk = 16;
constexpr std::size_t kWorkWorthThreads = 1 << 18;  // squared neighbourhoods; below, starting threads costs more
constexpr int kLeastLiveShare = 4;                  // rows are dropped when no more than 1 in 4 of them is live

}  // namespace

void DegeneracyPooling::pool(PoolingRun& run) {
  if (searches_.of_thread.size() < run.threads()) searches_.of_thread.resize(run.threads());
  const ChargeScope scope(run.budget(), graph_, queue_, searches_, to_search_, new_bound_);
  begin(run);  // degeneracy order, later neighbours, colours; all by Rank from here
  while (const auto level = queue_.take_highest()) {
    find_cliques(*level, run);
    graph_.remove(run.close_round());
    if (!run.wants_more()) break;
  }
}

void DegeneracyPooling::begin(PoolingRun& run) {
  graph_.build(run.graph(), run.live(), run.pace());
  const auto bounds = graph_.colour(run.pace());
  const Node n = graph_.num_vertices();
  queue_.reset(n, n == 0 ? 0 : *std::max_element(bounds.begin(), bounds.end()), kPairWeight);
  for (Node rank = 0; rank < n; ++rank)
    if (const Rank v{rank}; graph_.is_live(v)) queue_.enqueue(v, bounds[idx(v)]);
  for (unsigned thread = 0; thread < run.threads(); ++thread)
    searches_.of_thread[thread].begin(graph_, run.found(thread));
}

// Finds all cliques whose weight is the bound of the level, and queues the vertices that lead none at lower bounds.
void DegeneracyPooling::find_cliques(const BoundQueue::Level& level, PoolingRun& run) {
  to_search_.clear();
  for (const Rank v : level.vertices) {
    if (!graph_.is_live(v)) continue;
    run.pace().step(graph_.later(v).size() + 1);
    if (needs_search(v, level.bound)) to_search_.push_back(v);
  }
  search_vertices(level.bound, run);
}

// Returns whether v needs a search of its local graph, and prepares it. Otherwise v is done with: it leads only small
// cliques, which are found here, or its bound proves too high, and it is queued at a lower one.
bool DegeneracyPooling::needs_search(Rank v, Node weight) {
  if (graph_.has_rows(v)) {
    const auto num_live = static_cast<std::size_t>(std::popcount(graph_.live_in_rows(v)));
    if (weight > kPairWeight + 1 && kLeastLiveShare * num_live > graph_.later(v).size()) return true;
    graph_.drop_rows(v);
  }
  graph_.refresh_later(v);
  const Node bound = graph_.bound_by_colours(v);
  if (bound < weight) {
    queue_.enqueue(v, bound);
    return false;
  }
  if (searches_.of_thread.front().triangles_and_smaller(v, weight)) return false;
  graph_.sort_later(v);
  return true;
}

void DegeneracyPooling::search_vertices(Node weight, PoolingRun& run) {
  std::size_t work = 0;
  for (const Rank v : to_search_.span()) work += graph_.later(v).size() * graph_.later(v).size();
  const unsigned threads = work < kWorkWorthThreads ? 1 : run.threads();
  const std::size_t chunks = (to_search_.size() + kSearchesPerChunk - 1) / kSearchesPerChunk;
  new_bound_.resize(to_search_.size());
  share_out(threads, chunks, run.budget(), [&](unsigned thread, std::size_t chunk) {
    Pace pace(run.budget());
    const std::size_t end = std::min(to_search_.size(), (chunk + 1) * kSearchesPerChunk);
    for (std::size_t i = chunk * kSearchesPerChunk; i < end; ++i)
      new_bound_[i] = searches_.of_thread[thread].search_vertex(to_search_[i], weight, pace);
  });
  for (std::size_t i = 0; i < to_search_.size(); ++i)
    if (new_bound_[i] < weight) queue_.enqueue(to_search_[i], new_bound_[i]);
}

}  // namespace cliquepool
