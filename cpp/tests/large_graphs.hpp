// Graphs large enough to be shared out among threads.
#pragma once

#include <vector>

#include "base/budget.hpp"
#include "base/types.hpp"
#include "graph/csr.hpp"
#include "tests/naive.hpp"

namespace naive {

using namespace cliquepool;

inline constexpr unsigned kThreadCounts[] = {1, 2, 3, 4, 8};

inline Graph graph_of_pairs(const Nodes& pairs, Node num_nodes) {
  Budget budget;
  return build_graph<Node>(pairs, num_nodes, budget);
}

inline void append_clique(Nodes& pairs, const Nodes& members) {
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) pairs.insert(pairs.end(), {members[j], members[i]});
}

// Random pairs and cliques of random nodes. No node has many neighbours.
inline Graph graph_of_low_degrees(Node num_nodes, Random& random) {
  Nodes pairs;
  for (Node i = 0; i < 2 * num_nodes; ++i)
    pairs.insert(pairs.end(), {random_between(0, num_nodes - 1, random), random_between(0, num_nodes - 1, random)});
  for (Node i = 0; i < num_nodes / 10; ++i) {
    Nodes members(idx(random_between(3, 8, random)));
    for (Node& member : members) member = random_between(0, num_nodes - 1, random);
    append_clique(pairs, members);
  }
  return graph_of_pairs(pairs, num_nodes);
}

// The same, and a few hundred nodes have very many neighbours, also among themselves.
inline Graph graph_with_hubs(Node num_nodes, Random& random) {
  Nodes pairs;
  const Node num_hubs = 400;
  for (Node i = 0; i < 4 * num_nodes; ++i) {
    const Node v = random_between(0, num_nodes - 1, random);
    const Node hub = random_between(0, num_hubs - 1, random);
    pairs.insert(pairs.end(), {v, hub, v, random_between(0, num_nodes - 1, random)});
    if (i % 4 == 0) append_clique(pairs, {v, hub, random_between(0, num_hubs - 1, random)});
  }
  for (Node i = 0; i < num_nodes / 10; ++i) {
    Nodes members(idx(random_between(3, 9, random)));
    for (Node& member : members) member = random_between(0, num_nodes - 1, random);
    append_clique(pairs, members);
  }
  return graph_of_pairs(pairs, num_nodes);
}

}  // namespace naive
