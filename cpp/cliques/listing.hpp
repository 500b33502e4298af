// Every maximal clique of a graph, stored or only counted.
#pragma once

#include <cstdint>
#include <vector>

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Every maximal clique of at least `min_size` nodes, members ascending. An isolated node is a clique of one.
// The order of the cliques is fixed by the graph alone, whatever the number of threads.
//
// Bron-Kerbosch with pivoting (Tomita et al. 2006) inside the later neighbours of each node in a degeneracy order
// (Eppstein, Löffler, Strash 2010): O(d n 3^(d/3)) for degeneracy d. The result stays charged to the budget.
Ragged list_maximal_cliques(GraphView graph, Node min_size, unsigned threads, Budget& budget);

// result[s] is the number of maximal cliques of s >= min_size nodes, for s up to the clique number (of those counted);
// nothing is stored.
std::vector<std::int64_t> count_maximal_cliques_by_size(GraphView graph, Node min_size, unsigned threads,
                                                        Budget& budget);

}  // namespace cliquepool
