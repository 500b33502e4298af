// The search of one vertex for the cliques that it leads, for the pooling by degeneracy.
#pragma once

#include <cstdint>
#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "pooling/branch_exchange.hpp"
#include "pooling/found_cliques.hpp"
#include "pooling/local_search.hpp"
#include "pooling/remaining_graph.hpp"

namespace cliquepool {

// Finds the cliques whose member of lowest rank, the leader, is a given vertex. They consist of the leader and of later
// neighbours of it. Every thread has one VertexSearch. Keeps its memory between graphs, bound to the budget of each
// (see charged_buffer.hpp).
class VertexSearch {
 public:
  void bind(Budget& budget);
  void unbind();

  // Searches `graph` from now on, on the thread of this number, and adds cliques to `found`. They are charged to the
  // budget some at a time; `charge_found` charges the rest.
  void begin(RemainingGraph& graph, FoundCliques& found, unsigned thread = 0);
  void charge_found() { found_->charge(*budget_); }

  // Finds all cliques of exactly this weight led by v, where that needs no local graph: v alone, if it has no later
  // neighbours, or cliques of up to three nodes. Returns false, with nothing done, in other cases.
  bool triangles_and_smaller(Rank v, Node weight);

  // Finds all cliques of exactly this weight led by v and returns the weight. If there is none, returns a smaller upper
  // bound for v. Invariant: no clique of live vertices weighs more; heavier ones were pooled before.
  // With an exchange, other threads may take branches of a search that takes long.
  Node search_vertex(Rank v, Node weight, Pace& pace, BranchExchange* exchange = nullptr);
  // Searches branches of other threads until there are no more.
  void search_branches(BranchExchange& exchange, Pace& pace);

 private:
  Node append_heaviest(Rank leader, Node target, Pace& pace, BranchExchange* exchange);
  void search_branch(const OfferedBranch& branch, BranchExchange& exchange, Pace& pace);
  void mark_local();
  void unmark_local();
  Node peel(Node weight);
  void build_local(Pace& pace);
  void build_small(Rank v, Pace& pace);
  void charge_search(Node size);

  RemainingGraph* graph_ = nullptr;
  unsigned thread_ = 0;
  FoundCliques* found_ = nullptr;
  Budget* budget_ = nullptr;
  LocalSearch search_;
  std::int64_t search_bytes_ = 0;  // charged for `search_`
  ChargedBuffer<Rank> local_;      // the vertices of the local graph: local vertex i is local_[i - 1]
  ChargedBuffer<Node> degree_;     // weight of each local vertex with its neighbours
  // By vertex of the whole graph, its local vertex, or 0. Most searches are small: for them one byte
  // per vertex suffices, which keeps more of the array in the cache. Both are empty until needed.
  ChargedBuffer<unsigned char> small_index_;
  ChargedBuffer<Node> index_;
};

}  // namespace cliquepool
