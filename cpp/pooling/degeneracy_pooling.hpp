// Pooling of any graph, vertex by vertex in a degeneracy order.
#pragma once

#include <span>
#include <vector>

#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "pooling/bound_queue.hpp"
#include "pooling/colour_bounds.hpp"
#include "pooling/pooling_run.hpp"
#include "pooling/remaining_graph.hpp"
#include "pooling/vertex_search.hpp"

namespace cliquepool {

// A clique is found at its leader, the member of lowest rank, among the later neighbours of the leader. Each vertex is
// queued by an upper bound on the weight of such a clique. At bound k only the vertices queued there are searched, and
// a search that finds no clique of weight k lowers the bound: no work is done twice. Keeps its memory between graphs.
class DegeneracyPooling {
 public:
  // Pools all cliques heavier than kPairWeight.
  void pool(PoolingRun& run);

 private:
  struct Searches {
    std::vector<VertexSearch> of_thread;

    void bind(Budget& budget) {
      for (VertexSearch& search : of_thread) search.bind(budget);
    }
    void unbind() {
      for (VertexSearch& search : of_thread) search.unbind();
    }
  };

  void begin(PoolingRun& run);
  void find_cliques(const BoundQueue::Level& level, PoolingRun& run);
  void screen(const BoundQueue::Level& level, PoolingRun& run);
  Node screened_bound(Rank v, Node weight, unsigned thread);
  void prefetch_searches(std::span<const Rank> next) const;
  void search_vertices(Node weight, PoolingRun& run);
  void share_searches(Node weight, unsigned threads, Budget& budget);
  void search_range(std::size_t first, std::size_t last, Node weight, Pace& pace, VertexSearch& search,
                    BranchExchange* exchange);

  RemainingGraph graph_;
  ColourBounds colours_;
  BoundQueue queue_;
  Searches searches_;
  ChargedBuffer<Rank> to_search_;  // vertices of the level that need a local search
  ChargedBuffer<Node> new_bound_;  // of each vertex that is screened or searched
};

}  // namespace cliquepool
