// Local graphs and bit sets from the naive matrices, for the tests of the local search.
#pragma once

#include <algorithm>
#include <vector>

#include "pooling/local_graph.hpp"
#include "tests/naive.hpp"

namespace naive {

using namespace cliquepool;

// Fill a LocalGraph or LocalSearch. Local vertices are numbered from 1: node v is vertex v + 1. Nodes that are not
// neighbours are given as 0, as entries outside of a local graph are.
template <typename Local>
void fill(Local& local, const Matrix& adjacent, const Nodes& weights) {
  local.reset(size_of(adjacent));
  for (Node v = 0; v < size_of(adjacent); ++v) {
    local.add(v + 1, weights[idx(v)], [&](auto&& join) {
      join(0);
      for (Node u = 0; u < v; ++u) join(adjacent[idx(v)][idx(u)] ? u + 1 : 0);
    });
  }
}
// A graph as it is after peeling: no vertex is left out, and they are numbered from 0.
inline BitGraph bit_graph(const Matrix& adjacent, const Nodes& weights) {
  BitGraph graph;
  graph.reset(size_of(adjacent));
  for (Node v = 0; v < graph.size; ++v) {
    graph.weight[idx(v)] = weights[idx(v)];
    for (Node u = 0; u < graph.size; ++u)
      if (adjacent[idx(v)][idx(u)]) set_bit(graph.row(v), u);
  }
  return graph;
}

inline Nodes members_of(const Word* set, int words) {
  Nodes members;
  Width<0>(words).for_each(set, [&](Node v) { members.push_back(v); });
  return members;
}
inline std::vector<Word> set_of(const Nodes& members, int words) {
  std::vector<Word> set(idx(words));
  for (const Node v : members) set_bit(set.data(), v);
  return set;
}
inline bool contains(const Nodes& members, Node v) {
  return std::find(members.begin(), members.end(), v) != members.end();
}
inline Nodes all_nodes(Node n) {
  Nodes all(idx(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}
inline Nodes random_subset(Node n, Random& random) {
  Nodes subset;
  for (Node v = 0; v < n; ++v)
    if (random_between(0, 3, random) > 0) subset.push_back(v);
  return subset;
}
inline Matrix induced(const Matrix& adjacent, const Nodes& nodes) {
  return matrix(static_cast<Node>(nodes.size()),
                [&](Node u, Node v) { return static_cast<bool>(adjacent[idx(nodes[idx(u)])][idx(nodes[idx(v)])]); });
}
inline Node max_clique_weight(const Matrix& adjacent, const Nodes& weights, const Nodes& among) {
  std::vector<bool> live(adjacent.size());
  for (const Node v : among) live[idx(v)] = true;
  CliqueSearch search(adjacent, weights);
  search.heaviest(live);
  return search.weight();
}
inline Node max_clique_weight(const Matrix& adjacent, const Nodes& weights) {
  return max_clique_weight(adjacent, weights, all_nodes(size_of(adjacent)));
}

// Sizes around the widths that searches are compiled for: 1, 2, 4 words, and any.
inline constexpr Node kSizesOfEveryWidth[] = {1, 5, 13, 30, 63, 64, 65, 100, 128, 129, 200, 256, 257, 330};

}  // namespace naive
