// Pooling of larger graphs in which the later neighbours of each vertex fit into one machine word.
#pragma once

#include <cstdint>

#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "pooling/pooling_run.hpp"
#include "pooling/word_neighbourhoods.hpp"

namespace cliquepool {

// A clique is found at its leader, its first member, among the later neighbours of the leader (see WordNeighbourhoods).
// Each leader keeps an upper bound on the weight of such a clique: at first the maximum itself, found by plain
// enumeration. A round lists the cliques of the leaders with the highest bound, and lowers the bounds of those that no
// longer lead one. Keeps its memory between graphs.
class WordPooling {
 public:
  // Pools all cliques heavier than kPairWeight. Returns false, perhaps with live vertices in such cliques left, if
  // later neighbours do not fit into a word or the graph is too dense for enumeration.
  bool pool(PoolingRun& run);

 private:
  struct LeaderRange {
    std::size_t kept = 0;
    Node highest = 0;  // bound
  };

  Node bound_leaders(PoolingRun& run);
  Node find_cliques(Node weight, PoolingRun& run);
  template <typename BoundOf>
  Node update_leaders(PoolingRun& run, BoundOf&& bound_of);
  Node max_clique_weight_from(Node leader, Word candidates, PoolingRun& run, std::int64_t& effort) const;
  bool gave_up() const { return effort_ < 0; }

  WordNeighbourhoods neighbourhoods_;
  ChargedBuffer<Node> leaders_;         // ascending: live vertices with a bound above kPairWeight
  ChargedBuffer<unsigned char> bound_;  // of each leader, by vertex: at most twice the bits of a word
  ChargedBuffer<LeaderRange> ranges_;
  ChargedBuffer<PoolingRun::FoundRange> found_;  // the cliques of each range of leaders
  std::int64_t effort_ = 0;
};

}  // namespace cliquepool
