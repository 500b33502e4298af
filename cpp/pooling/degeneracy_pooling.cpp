#include "pooling/degeneracy_pooling.hpp"

#include <algorithm>
#include <atomic>
#include <bit>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "pooling/pairs_and_singles.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kScreenedPerRange = 512;
constexpr std::size_t kScreensWorthThreads = 1 << 13;
constexpr std::size_t kAhead = 4;  // vertices that are screened next
constexpr std::size_t kSearchesPerRange = 16;
constexpr std::size_t kWorkWorthThreads = 1 << 18;  // squared neighbourhoods; below, starting threads costs more
constexpr int kLeastLiveShare = 4;                  // rows are dropped when no more than 1 in 4 of them is live

}  // namespace

void DegeneracyPooling::pool(PoolingRun& run) {
  if (searches_.of_thread.size() < run.threads()) searches_.of_thread.resize(run.threads());
  const ChargeScope scope(run.budget(), graph_, colours_, queue_, searches_, to_search_, new_bound_);
  begin(run);  // degeneracy order, later neighbours, colours; all by Rank from here
  while (const auto level = queue_.take_highest()) {
    find_cliques(*level, run);
    graph_.remove(run.close_round(), run.threads(), run.budget());
    if (!run.wants_more()) break;
  }
}

void DegeneracyPooling::begin(PoolingRun& run) {
  graph_.build(run.graph(), run.live(), run.threads(), run.budget());
  colours_.colour(graph_, run.threads(), run.budget());
  const auto bounds = colours_.initial_bounds();
  const Node n = graph_.num_vertices();
  queue_.reset(n, n == 0 ? 0 : *std::max_element(bounds.begin(), bounds.end()), kPairWeight);
  for (Node rank = 0; rank < n; ++rank)
    if (const Rank v{rank}; graph_.is_live(v)) queue_.enqueue(v, bounds[idx(v)]);
  colours_.forget_initial_bounds();
  for (unsigned thread = 0; thread < run.threads(); ++thread)
    searches_.of_thread[thread].begin(graph_, run.found(thread), thread);
}

// Finds all cliques whose weight is the bound of the level, and queues the vertices that lead none at lower bounds.
void DegeneracyPooling::find_cliques(const BoundQueue::Level& level, PoolingRun& run) {
  if (level.bound <= kPairWeight + 1) graph_.drop_all_rows();  // triangles are found without them
  screen(level, run);
  search_vertices(level.bound, run);
}

// Chooses the live vertices of the level that need a search, and queues the others at their reduced bounds. A thread
// changes nothing but the lists and rows of the vertices that it screens.
void DegeneracyPooling::screen(const BoundQueue::Level& level, PoolingRun& run) {
  const auto vertices = level.vertices;
  const unsigned threads = vertices.size() < kScreensWorthThreads ? 1 : run.threads();
  new_bound_.resize(vertices.size());
  share_ranges(threads, vertices.size(), kScreenedPerRange, run.budget(),
               [&](unsigned thread, std::size_t first, std::size_t last) {
                 Pace pace(run.budget());
                 for (std::size_t i = first; i < last; ++i) {
                   if (i + 2 * kAhead < last) graph_.prefetch_start(vertices[i + 2 * kAhead]);
                   if (i + kAhead < last) prefetch_list(graph_.later(vertices[i + kAhead]).data());
                   pace.step(graph_.later(vertices[i]).size() + 1);
                   new_bound_[i] = screened_bound(vertices[i], level.bound, thread);
                 }
               });
  to_search_.clear();
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (new_bound_[i] == level.bound) {
      to_search_.push_back(vertices[i]);
    } else {
      queue_.enqueue(vertices[i], new_bound_[i]);
    }
  }
}

// Returns `weight` if v needs a search, for which it is prepared, otherwise a smaller upper bound; 0 for a vertex that
// is pooled.
Node DegeneracyPooling::screened_bound(Rank v, Node weight, unsigned thread) {
  if (!graph_.is_live(v)) return 0;
  const bool for_local_search = weight > kPairWeight + 1;
  if (graph_.has_rows(v)) {
    const auto num_live = static_cast<std::size_t>(std::popcount(graph_.live_in_rows(v)));
    if (for_local_search && kLeastLiveShare * num_live > graph_.later(v).size()) return weight;
    graph_.drop_rows(v);
  }
  graph_.refresh_later(v);
  const Node bound = colours_.bound(graph_, v, thread);
  if (bound < weight) return bound;
  if (for_local_search) graph_.sort_later(v);
  return weight;
}

// Starts to load what the searches of the next vertices read first. These vertices have to be of this thread: others
// write the rows of theirs.
void DegeneracyPooling::prefetch_searches(std::span<const Rank> next) const {
  if (next.size() > 2) graph_.prefetch_start(next[2]);
  if (next.size() > 1) prefetch_list(graph_.later(next[1]).data());
  if (!next.empty() && !graph_.has_rows(next[0])) graph_.prefetch_starts_of(graph_.later(next[0]));
}

void DegeneracyPooling::search_vertices(Node weight, PoolingRun& run) {
  std::size_t work = 0;
  for (const Rank v : to_search_.span()) work += graph_.later(v).size() * graph_.later(v).size();
  const unsigned threads = work < kWorkWorthThreads ? 1 : run.threads();
  new_bound_.resize(to_search_.size());
  if (threads == 1) {
    Pace pace(run.budget());
    search_range(0, to_search_.size(), weight, pace, searches_.of_thread[0], nullptr);
  } else {
    share_searches(weight, threads, run.budget());
  }
  for (unsigned thread = 0; thread < threads; ++thread) searches_.of_thread[thread].charge_found();
  for (std::size_t i = 0; i < to_search_.size(); ++i)
    if (new_bound_[i] < weight) queue_.enqueue(to_search_[i], new_bound_[i]);
}

// Threads search ranges of vertices, and then branches of the searches that others are still busy with.
void DegeneracyPooling::share_searches(Node weight, unsigned threads, Budget& budget) {
  const std::size_t count = to_search_.size();
  std::atomic<std::size_t> next{0};
  BranchExchange exchange(budget);
  share_out(threads, threads, budget, [&](unsigned thread, std::size_t) {
    Pace pace(budget);
    VertexSearch& search = searches_.of_thread[thread];
    exchange.begin_work();
    for (std::size_t first = next.fetch_add(kSearchesPerRange); first < count;
         first = next.fetch_add(kSearchesPerRange)) {
      budget.check();
      search_range(first, std::min(count, first + kSearchesPerRange), weight, pace, search, &exchange);
    }
    exchange.end_work();
    search.search_branches(exchange, pace);
  });
}

void DegeneracyPooling::search_range(std::size_t first, std::size_t last, Node weight, Pace& pace, VertexSearch& search,
                                     BranchExchange* exchange) {
  for (std::size_t i = first; i < last; ++i) {
    const Rank v = to_search_[i];
    prefetch_searches(to_search_.span().subspan(i + 1, last - i - 1));
    pace.step(graph_.later(v).size() + 1);
    new_bound_[i] = search.triangles_and_smaller(v, weight) ? weight : search.search_vertex(v, weight, pace, exchange);
  }
}

}  // namespace cliquepool
