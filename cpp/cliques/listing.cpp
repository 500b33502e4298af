#include "cliques/listing.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/bitset.hpp"
#include "base/charged_buffer.hpp"
#include "base/parallel.hpp"
#include "cliques/local_problem.hpp"
#include "cliques/local_problem_builder.hpp"
#include "cliques/sink.hpp"
#include "cliques/small_search.hpp"
#include "cliques/wide_search.hpp"

namespace cliquepool {

namespace {

using namespace listing;

// The narrowest search that holds a problem, if there is one.
template <typename Sink>
class SmallSolver {
 public:
  SmallSolver(Sink& sink, Budget& budget, Pace& pace, std::size_t min_size)
      : min_size_(min_size),
        one_(sink, budget, pace, nullptr),
        two_(sink, budget, pace, &one_),
        four_(sink, budget, pace, &two_) {}

  // False if it is too large.
  bool operator()(const LocalProblem& problem) {
    switch (problem.words) {
      case 1:
        one_.run(problem, min_size_);
        return true;
      case 2:
        two_.run(problem, min_size_);
        return true;
      case 4:
        four_.run(problem, min_size_);
        return true;
      default:
        return false;
    }
  }
  // The words of a problem of `size` local ids; 0 if that is too large.
  static std::size_t words_for_size(std::size_t size) {
    return size <= kWordBits ? 1 : size <= 2 * kWordBits ? 2 : size <= 4 * kWordBits ? 4 : 0;
  }

 private:
  std::size_t min_size_;
  SmallSearch<1, Sink> one_;
  SmallSearch<2, Sink> two_;
  SmallSearch<4, Sink> four_;
};

// One thread's tools for listing the cliques that begin at given nodes.
template <typename Sink>
class Lister {
 public:
  Lister(GraphView graph, const LaterNeighbours& later, Node min_size, Budget& budget)
      : graph_(graph),
        later_(&later),
        min_size_(min_size),
        budget_(&budget),
        pace_(budget),
        sink_(min_size, budget),
        builder_(graph, later, budget),
        problem_(budget),
        small_(sink_, budget, pace_, idx(min_size)),
        wide_(sink_, small_, budget) {}

  Sink& sink() { return sink_; }

  // For the nodes [first, last).
  void list(Node first, Node last) {
    for (Node v = first; v < last; ++v) {
      list_from(v);
      pace_.step();
      if ((v - first + 1) % kProgressBatch == 0) budget_->add_done(kProgressBatch);
    }
    budget_->add_done((last - first) % kProgressBatch);
  }

 private:
  static constexpr Node kProgressBatch = 256;

  // The cliques whose first node in the degeneracy order is v.
  void list_from(Node v) {
    const auto later = (*later_)[v];
    if (later.size() + 1 < idx(min_size_)) return;
    if (later.empty()) {
      if (graph_.degree(v) == 0) sink_.put(std::span(&v, 1));
    } else if (later.size() == 1) {
      list_pair(v, later[0]);
    } else if (builder_.build(v, problem_)) {
      if (!small_(problem_)) wide_.run(problem_, idx(min_size_));
    }
  }

  // {v, u} is maximal if no other neighbour of v, all of which come earlier, is a neighbour of u.
  void list_pair(Node v, Node u) {
    for (const Node x : graph_[v]) {
      const auto later = (*later_)[x];
      if (x != u && std::find(later.begin(), later.end(), u) != later.end()) return;
    }
    const Node pair[] = {std::min(u, v), std::max(u, v)};
    sink_.put(pair);
  }

  GraphView graph_;
  const LaterNeighbours* later_;
  Node min_size_;
  Budget* budget_;
  Pace pace_;
  Sink sink_;
  LocalBuilder builder_;
  LocalProblem problem_;
  SmallSolver<Sink> small_;
  WideSearch<Sink, SmallSolver<Sink>> wide_;
};

// Lists that arrive in any order, put together in theirs.
class Assembly {
 public:
  explicit Assembly(Budget& budget) : budget_(&budget), offsets_(budget), members_(budget) { offsets_.push_back(0); }

  void add(std::size_t chunk, Ragged list) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(chunk, std::move(list));
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next_; it = waiting_.erase(it), ++next_) {
      append(it->second);
    }
  }
  Ragged take() {
    assert(waiting_.empty());
    Ragged list;
    list.offsets = offsets_.take();
    list.members = members_.take();
    return list;
  }

 private:
  void append(Ragged& list) {
    const auto base = static_cast<Offset>(members_.size());
    Offset* const offsets = offsets_.room(list.offsets.size());
    for (std::size_t i = 1; i < list.offsets.size(); ++i) offsets[i - 1] = base + list.offsets[i];
    offsets_.commit(list.offsets.size() - 1);
    std::copy_n(list.members.data(), list.members.size(), members_.room(list.members.size()));
    members_.commit(list.members.size());
    budget_->release_bytes(
        static_cast<std::int64_t>(list.offsets.size() * sizeof(Offset) + list.members.size() * sizeof(Node)));
  }

  Budget* budget_;
  std::mutex mutex_;
  std::map<std::size_t, Ragged> waiting_;
  std::size_t next_ = 0;
  Charged<Offset> offsets_;
  Charged<Node> members_;
};

// Ranges of nodes of about equal expected work.
std::vector<Node> cut_nodes(const LaterNeighbours& later, Node n, unsigned threads) {
  auto weight = [&](Node v) {
    const auto size = static_cast<double>(later[v].size());
    return 1 + size * size;
  };
  double total = 0;
  for (Node v = 0; v < n; ++v) total += weight(v);
  const double share = total / (64.0 * threads);
  std::vector<Node> cuts{0};
  double sum = 0;
  for (Node v = 0; v < n; ++v) {
    sum += weight(v);
    if (sum >= share || v + 1 == n) {
      cuts.push_back(v + 1);
      sum = 0;
    }
  }
  return cuts;
}

}  // namespace

Ragged list_maximal_cliques(GraphView graph, Node min_size, unsigned threads, Budget& budget) {
  const Node n = graph.num_nodes();
  min_size = std::max<Node>(min_size, 1);
  budget.set_total(n);
  const LaterNeighbours later(graph, budget);
  if (threads <= 1) {
    Lister<CliqueStore> lister(graph, later, min_size, budget);
    lister.list(0, n);
    return lister.sink().take();
  }
  const std::vector<Node> cuts = cut_nodes(later, n, threads);
  std::vector<std::unique_ptr<Lister<CliqueStore>>> listers(threads);
  Assembly assembly(budget);
  share_out(threads, cuts.size() - 1, budget, [&](unsigned thread, std::size_t chunk) {
    auto& lister = listers[thread];
    if (!lister) lister = std::make_unique<Lister<CliqueStore>>(graph, later, min_size, budget);
    lister->list(cuts[chunk], cuts[chunk + 1]);
    assembly.add(chunk, lister->sink().take());
  });
  return assembly.take();
}

std::vector<std::int64_t> count_maximal_cliques_by_size(GraphView graph, Node min_size, unsigned threads,
                                                        Budget& budget) {
  const Node n = graph.num_nodes();
  min_size = std::max<Node>(min_size, 1);
  budget.set_total(n);
  const LaterNeighbours later(graph, budget);
  const std::vector<Node> cuts = cut_nodes(later, n, std::max(threads, 1U));
  std::vector<std::unique_ptr<Lister<CliqueCount>>> listers(std::max(threads, 1U));
  share_out(threads, cuts.size() - 1, budget, [&](unsigned thread, std::size_t chunk) {
    auto& lister = listers[thread];
    if (!lister) lister = std::make_unique<Lister<CliqueCount>>(graph, later, min_size, budget);
    lister->list(cuts[chunk], cuts[chunk + 1]);
    lister->sink().flush();
  });
  std::vector<std::int64_t> total(1);
  for (const auto& lister : listers) {
    if (!lister) continue;
    const auto& by_size = lister->sink().by_size();
    total.resize(std::max(total.size(), by_size.size()));
    for (std::size_t size = 0; size < by_size.size(); ++size) total[size] += by_size[size];
  }
  return total;
}

}  // namespace cliquepool
