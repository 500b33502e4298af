// The search of one shard for the cliques that its own vertices lead.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "pooling/found_cliques.hpp"
#include "pooling/local_search.hpp"
#include "pooling/shard_graph.hpp"

namespace cliquepool {

// The state of a search beside the shard itself, which may be mapped from a file: its lists are never changed.
struct ShardState {
  std::span<const Node> colours;        // of each vertex of the shard; see `colour_shard`
  std::span<const unsigned char> live;  // flags of the same
  std::span<Node> bounds;  // of each own vertex, on the weight of a clique that it leads; 0: it is done with
};

// Returns a proper colouring of the shard. The memory stays charged to the budget.
Buffer<Node> colour_shard(const ShardView& shard, Budget& budget);

// First `find_bounds`, then rounds of falling weight, each with the members of the cliques found before no longer live.
// A search may be made anew for each of them: all that it has to remember is in its state.
class ShardSearch {
 public:
  ShardSearch(const ShardView& shard, const ShardState& state, Budget& budget);
  ~ShardSearch() { budget_.release_bytes(search_bytes_); }
  ShardSearch(const ShardSearch&) = delete;
  ShardSearch& operator=(const ShardSearch&) = delete;

  // Sets the bounds of live own vertices to what the colouring allows, but no more than `most`.
  void find_bounds(Node most);

  // Finds all cliques of exactly this weight that own vertices lead, as lists of vertices of the shard, the leader
  // first. Lowers the bounds of the vertices that were searched in vain. Invariant: no clique of live vertices weighs
  // more, and bounds are no higher.
  // Stops early when the cliques in `found` take `most_bytes`. Returns how many own vertices are done, for the next
  // call to begin after them: all of them at the end of the round.
  std::size_t find_cliques(Node weight, FoundCliques& found, std::size_t first = 0,
                           std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max());

 private:
  Node bound_by_colours(Node leader);
  void take_live(Node leader);
  Node search_leader(Node leader, Node weight, FoundCliques& found);
  void append_pairs(Node leader, Node weight, FoundCliques& found);
  void append_triangles(Node leader, FoundCliques& found);
  void build_local();

  ShardView shard_;
  ShardState state_;
  Budget& budget_;
  Pace pace_;
  ChargedBuffer<Node> heaviest_of_colour_;  // among the neighbours of the leader at hand; else 0
  ChargedBuffer<Node> local_;               // live later neighbours of the leader: local vertex i is local_[i - 1]
  ChargedBuffer<Node> index_;               // by vertex, its local vertex, or 0
  LocalSearch search_;
  std::int64_t search_bytes_ = 0;  // charged for `search_`
};

}  // namespace cliquepool
