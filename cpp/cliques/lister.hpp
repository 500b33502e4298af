// Lists the maximal cliques of a graph by their first members in a degeneracy order.
#pragma once

#include <algorithm>
#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "cliques/clique_search.hpp"
#include "cliques/local_problem.hpp"
#include "cliques/local_problem_builder.hpp"
#include "graph/oriented_graph.hpp"

namespace cliquepool::listing {

// One per thread; the threads share the graphs.
template <typename Sink>
class Lister {
 public:
  Lister(GraphView graph, const OrientedGraph<Node>& oriented, Node min_size, Budget& budget)
      : graph_(graph),
        oriented_(&oriented),
        min_size_(min_size),
        budget_(&budget),
        pace_(budget),
        sink_(min_size, budget),
        builder_(graph, oriented, budget, pace_),
        problem_(budget),
        search_(sink_, budget, pace_) {}
  Lister(const Lister&) = delete;  // its parts hold pointers to each other
  Lister& operator=(const Lister&) = delete;

  Sink& sink() { return sink_; }

  // Puts the cliques whose first member is in [begin, end) into the sink.
  void list(Node begin, Node end) {
    for (Node v = begin; v < end; ++v) {
      list_from(v);
      pace_.step();
      if ((v - begin + 1) % kProgressBatch == 0) budget_->add_done(kProgressBatch);
    }
    budget_->add_done((end - begin) % kProgressBatch);
  }

 private:
  static constexpr Node kProgressBatch = 256;

  void list_from(Node v) {
    const auto later = oriented_->later(v);
    if (later.size() + 1 < idx(min_size_)) return;
    if (later.empty()) {
      if (graph_.degree(v) == 0) sink_.put(std::span(&v, 1));
    } else if (later.size() == 1) {
      list_pair(v, later[0]);
    } else if (builder_.build(v, problem_)) {
      search_.run(problem_, min_size_);
    }
  }

  // All neighbours of v but u come earlier than v. {v, u} is maximal if none of them is a neighbour of u.
  void list_pair(Node v, Node u) {
    for (const Node x : graph_[v]) {
      const auto later = oriented_->later(x);
      if (x != u && std::find(later.begin(), later.end(), u) != later.end()) return;
    }
    const Node pair[] = {std::min(u, v), std::max(u, v)};
    sink_.put(pair);
  }

  GraphView graph_;
  const OrientedGraph<Node>* oriented_;
  Node min_size_;
  Budget* budget_;
  Pace pace_;
  Sink sink_;
  LocalProblemBuilder builder_;
  LocalProblem problem_;
  CliqueSearch<Sink> search_;
};

}  // namespace cliquepool::listing
