#include "hierarchy/coarsening.hpp"

#include <algorithm>
#include <array>

#include "base/bitset.hpp"
#include "base/charged_buffer.hpp"

namespace cliquepool {
namespace {

// Coarsens with every set a machine word, for at most 64 vertices. Returns false, with `coarse` undefined, if there are
// more than 64 classes of pools.
bool coarsen_in_words(GraphView graph, RaggedView pools, TwinLevel& coarse) {
  std::array<Word, kWordBits> closed{};    // N[v]
  std::array<Word, kWordBits> touching{};  // of each vertex, the classes whose first pool contains it
  std::array<Word, kWordBits> reach{};     // of each class, N[P]
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    closed[idx(v)] = Word{1} << v;
    for (const Node u : graph[v]) closed[idx(v)] |= Word{1} << u;
  }
  coarse.classes.clear();
  coarse.sizes.clear();
  for (Offset p = 0; p < pools.size(); ++p) {
    Word neighbourhood = 0;
    for (const Node v : pools[p]) neighbourhood |= closed[idx(v)];
    const auto known = reach.begin() + static_cast<std::ptrdiff_t>(coarse.sizes.size());
    const auto twin = std::find(reach.begin(), known, neighbourhood);
    const auto c = static_cast<std::size_t>(twin - reach.begin());
    if (c == reach.size()) return false;
    coarse.classes.push_back(static_cast<Node>(c));
    if (twin != known) {
      ++coarse.sizes[c];
      continue;
    }
    *twin = neighbourhood;
    coarse.sizes.push_back(1);
    for (const Node v : pools[p]) touching[idx(v)] |= Word{1} << c;
  }
  Graph& quotient = coarse.quotient;
  quotient.offsets.clear();
  quotient.neighbours.clear();
  quotient.offsets.push_back(0);
  const Width<1> width(1);
  for (std::size_t c = 0; c < coarse.sizes.size(); ++c) {
    Word joined = 0;
    width.for_each(&reach[c], [&](Node v) { joined |= touching[idx(v)]; });
    joined &= ~(Word{1} << c);
    width.for_each(&joined, [&](Node d) { quotient.neighbours.push_back(d); });
    quotient.offsets.push_back(static_cast<Offset>(quotient.neighbours.size()));
  }
  return true;
}

}  // namespace

void Coarsener::run(GraphView graph, RaggedView pools, Budget& budget, TwinLevel& coarse) {
  if (graph.num_nodes() <= kWordBits && coarsen_in_words(graph, pools, coarse)) return;
  const ChargeScope trie_scope(budget, trie_.buffers());
  const ChargeScope twins_scope(budget, twins_.buffers());
  const ChargeScope edges_scope(budget, edges_.buffers());
  Pace pace(budget);
  trie_.build(graph, pools, pace);
  twins_.find(graph, pools, trie_, budget, coarse);
  edges_.build(graph, trie_, twins_.representatives(), budget, coarse);
}

}  // namespace cliquepool
