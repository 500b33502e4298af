// Exact clique pooling: the heaviest cliques of what is left, again and again, until nothing is left.
#pragma once

#include <vector>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "graph/degeneracy.hpp"
#include "pooling/bound_queue.hpp"
#include "pooling/local_search.hpp"
#include "pooling/word_cliques.hpp"
#include "pooling/word_neighbourhoods.hpp"

namespace cliquepool {

// Pools weighted graphs: a vertex is a twin class, its weight the number of nodes in it. Keeps its memory between
// graphs, so that one Pooler serves a whole data set.
//
// A clique is found at its first member in the degeneracy order (that of lowest "rank"), within the later neighbours of
// that member. Each vertex waits at an upper bound on the weight of such a clique. At bound k only the vertices waiting
// there are looked at; a look that finds no clique of weight k lowers the bound. Pairs and single nodes, all that is
// left in the end, are read off the graph.
class Pooler {
 public:
  struct Options {
    unsigned threads = 1;
    bool only_first_round = false;  // just the heaviest cliques
    bool progress = false;          // tell the budget how many vertices are pooled
  };

  // Writes the pools as lists of vertices, in canonical order: heaviest first, then by ascending members.
  // `weights` may be empty: all ones.
  void run(GraphView graph, std::span<const Node> weights, const Options& options, Budget& budget, Ragged& pools);

 private:
  // What one thread needs to look at a vertex.
  struct Looker {
    LocalSearch search;
    Buffer<unsigned char> near;  // per vertex: 1 + local id while it takes part in a small look, else 0
    Buffer<Node> place;          // the same in larger looks; empty until one comes
    Buffer<Node> local;          // the vertices of the local graph
    Buffer<Node> first_local;    // of each vertex, where one may stand several times
    Buffer<Node> degree;
    Ragged found;
    std::int64_t found_bytes = 0;
    std::int64_t search_bytes = 0;
  };

  static std::int64_t bytes(GraphView graph) {
    const std::size_t entries = graph.neighbours.size() / 2;
    return static_cast<std::int64_t>(entries * (sizeof(Node) + sizeof(Word)) + graph.offsets.size() * 48);
  }
  void prepare_lookers(unsigned threads);
  void orient(GraphView graph, std::span<const Node> weights, Pace& pace);
  void unrank_live();
  void colour(Pace& pace);
  Node pool_in_words(GraphView graph, const Options& options, Budget& budget, Ragged& pools, Node& bound);
  void pool_at_once(GraphView graph, std::span<const Node> weights, const Options& options, Budget& budget,
                    Ragged& pools);
  void pool_larger(GraphView graph, std::span<const Node> weights, const Options& options, unsigned threads,
                   Budget& budget, Ragged& pools);
  bool pool_in_neighbourhoods(GraphView graph, std::span<const Node> weights, const Options& options, Pace& pace,
                              Budget& budget, Ragged& pools);
  Node heaviest_led(Node v, Word among, std::int64_t& effort);
  Node bound_leaders(std::int64_t& effort, Pace& pace);
  Node list_led(Node k, std::int64_t& effort, Pace& pace);
  void pool_by_vertex(GraphView graph, std::span<const Node> weights, const Options& options, unsigned threads,
                      Pace& pace, Budget& budget, Ragged& pools);
  Node bound_by_colours(Node v, Node* free_colour = nullptr);
  std::span<Node> later(Node v) { return later_.span().subspan(idx(later_start_[idx(v)]), idx(later_count_[idx(v)])); }
  void keep_live_later(Node v);
  void sort_later(Node v);
  std::span<Word> rows(Node v) { return rows_.span().subspan(idx(later_start_[idx(v)]), idx(later_count_[idx(v)])); }
  Word live_in_rows(Node v);
  void wait(Node v, Node bound) {
    if (bound > kHeaviestRest) queue_.push(v, bound);
  }

  bool settle_small(Node v, Node k, Looker& looker);
  Node look(Node v, Node k, Looker& looker, Pace& pace, Budget& budget);
  void mark(Looker& looker);
  void unmark(Looker& looker);
  Node drop_poor(Node need, Looker& looker);
  void build_local(Looker& looker, Pace& pace);
  void build_small(Node v, Looker& looker, Pace& pace);

  void look_at_all(Node k, unsigned threads, Budget& budget);
  static void charge_found(Looker& looker, std::int64_t cliques, Budget& budget);
  template <typename Name>
  Node find_all(Node target, std::span<const Node> leaders, Name&& name, Looker& looker, Pace& pace, Budget& budget);
  // How the cliques found in a round are kept.
  struct Round {
    bool in_order = false;             // in canonical order
    std::span<const Node> names = {};  // the vertices that their members stand for, unless they are these themselves
  };
  Node close_round(Ragged& pools, Budget& budget, const Round& round);
  void pool_rest(GraphView graph, std::span<const Node> weights, const Options& options, Pace& pace, Budget& budget,
                 Ragged& pools);
  bool append_pairs(Ragged& pools, Pace& pace);
  void append_cliques(Ragged& pools, Pace& pace);

  static constexpr Node kMostVerticesAtOnce = kWordBits - 1;
  static constexpr unsigned kSmallRunsBetweenChecks = 16;
  static constexpr Node kHeaviestRest = 2;
  static constexpr Node kCopy = -1;
  static constexpr std::int64_t kCliquesBetweenCounts = 256;

  unsigned small_runs_ = 0;
  WordGraph words_;
  WordNeighbourhoods neighbourhoods_;
  Buffer<Node> bound_;  // on the weight of a clique that a vertex leads in its neighbourhood

  DegeneracyOrder degeneracy_;
  Node num_vertices_ = 0;
  // By rank in the degeneracy order, from `orient` to `unrank_live`; and so is what a vertex is called.
  Buffer<Offset> later_start_;
  Buffer<Node> later_count_;        // live later neighbours, as of the last look
  Buffer<Node> later_;              // one vertex after the other
  Buffer<Word> rows_;               // beside each later neighbour, once a small look has been: those it is joined to
  Buffer<unsigned char> has_rows_;  // of each vertex; its later neighbours then stay as they are, live or not
  Buffer<Node> weight_;
  Buffer<Node> colour_;  // a proper colouring of the whole graph
  Buffer<Node> heaviest_of_colour_;
  Buffer<unsigned char> live_;
  Buffer<unsigned char> live_unranked_;  // as of when vertices were last called by their own names
  BoundQueue queue_;
  Buffer<Node> level_;
  Buffer<Node> hard_;  // vertices of the level that need a local search
  Buffer<Node> new_bound_;
  std::vector<Looker> lookers_;
  bool clean_ = true;  // the last run ended well

  struct PoolKey {
    std::uint64_t first_two;
    const Node* members;
    Node size;
  };
  Buffer<PoolKey> keys_;
  Buffer<std::uint64_t> pair_keys_;
};

// Searches the local graph for all cliques of weight `target` and keeps them, after `leaders`, by the names of their
// vertices. Returns as LocalSearch::heaviest does.
template <typename Name>
Node Pooler::find_all(Node target, std::span<const Node> leaders, Name&& name, Looker& looker, Pace& pace,
                      Budget& budget) {
  std::int64_t uncounted = 0;
  const auto count = [&] {
    charge_found(looker, uncounted, budget);
    uncounted = 0;
  };
  const Node reached = looker.search.heaviest(target, pace, [&](std::span<const Node> members) {
    looker.found.members.append(leaders);
    Node* const begin = looker.found.members.reserve_more(members.size());
    Node* to = begin;
    for (const Node local : members) {
      *to = name(local);
      to += *to != kCopy;
    }
    looker.found.members.commit(static_cast<std::size_t>(to - begin));
    looker.found.close_list();
    if (++uncounted == kCliquesBetweenCounts) {
      count();
      pace.step(idx(kCliquesBetweenCounts));
    }
  });
  if (uncounted > 0) count();
  return reached;
}

}  // namespace cliquepool
