#include "cliques/listing.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "base/parallel.hpp"
#include "cliques/clique_sinks.hpp"
#include "cliques/lister.hpp"
#include "cliques/ordered_chunks.hpp"
#include "graph/oriented_graph.hpp"

// The algorithm, from the outside in:
// - Order the nodes by degeneracy. Every clique lies in the later neighbours of its first member (OrientedGraph).
// - For each node v, list the cliques whose first member is v (Lister): give local ids to its later neighbours, the
//   candidates P, and make a row over P of each of its earlier neighbours, the excluded nodes X (LocalProblemBuilder).
// - Search them by Bron-Kerbosch with pivots on bitsets (CliqueSearch). A branch ends as soon as a row of X holds all
//   candidates, and candidates adjacent to all others join the clique at once. While X or P is large, X is a list of
//   rows (RowSearch). When both are small, X is a set of numbers, narrowed by one intersection (NumberedSearch).

namespace cliquepool {

namespace {

using namespace listing;

OrientedGraph<Node> orient(GraphView graph, Budget& budget) {
  OrientedGraph<Node> oriented(budget);
  Pace pace(budget);
  oriented.build(graph, pace);
  oriented.forget_order();  // which neighbours come later is all that the listing needs
  return oriented;
}

// Cuts the nodes into ranges of about equal expected work, and returns their bounds.
std::vector<Node> cut_nodes(const OrientedGraph<Node>& oriented, unsigned threads) {
  constexpr double kChunksPerThread = 64;
  const Node n = oriented.num_vertices();
  const auto work = [&](Node v) {
    const auto later = static_cast<double>(oriented.later(v).size());
    return 1 + later * later;
  };
  double total = 0;
  for (Node v = 0; v < n; ++v) total += work(v);
  const double share = total / (kChunksPerThread * threads);
  std::vector<Node> cuts{0};
  double sum = 0;
  for (Node v = 0; v < n; ++v) {
    sum += work(v);
    if (sum >= share || v + 1 == n) {
      cuts.push_back(v + 1);
      sum = 0;
    }
  }
  return cuts;
}

template <typename Sink>
using Listers = std::vector<std::unique_ptr<Lister<Sink>>>;

// Lists all cliques in chunks and calls finish(chunk, sink) after each. Returns the listers of the threads; those that
// got no work are null.
template <typename Sink, typename Finish>
Listers<Sink> list_in_chunks(GraphView graph, const OrientedGraph<Node>& oriented, Node min_size, unsigned threads,
                             Budget& budget, Finish&& finish) {
  const std::vector<Node> cuts = cut_nodes(oriented, threads);
  Listers<Sink> listers(threads);
  share_out(threads, cuts.size() - 1, budget, [&](unsigned thread, std::size_t chunk) {
    auto& lister = listers[thread];
    if (!lister) lister = std::make_unique<Lister<Sink>>(graph, oriented, min_size, budget);
    lister->list(cuts[chunk], cuts[chunk + 1]);
    finish(chunk, lister->sink());
  });
  return listers;
}

}  // namespace

Ragged list_maximal_cliques(GraphView graph, Node min_size, unsigned threads, Budget& budget) {
  budget.set_total(graph.num_nodes());
  const OrientedGraph<Node> oriented = orient(graph, budget);
  if (threads <= 1) {  // no chunks, whose lists would have to be copied
    Lister<CliqueList> lister(graph, oriented, min_size, budget);
    lister.list(0, graph.num_nodes());
    return lister.sink().take();
  }
  OrderedChunks chunks(budget);
  list_in_chunks<CliqueList>(graph, oriented, min_size, threads, budget,
                             [&](std::size_t chunk, CliqueList& found) { chunks.add(chunk, found.take()); });
  return chunks.take();
}

std::vector<std::int64_t> count_maximal_cliques_by_size(GraphView graph, Node min_size, unsigned threads,
                                                        Budget& budget) {
  budget.set_total(graph.num_nodes());
  const OrientedGraph<Node> oriented = orient(graph, budget);
  const auto listers = list_in_chunks<CliqueCounts>(graph, oriented, min_size, std::max(threads, 1U), budget,
                                                    [](std::size_t, CliqueCounts& found) { found.flush(); });
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
