// Graphs and reference algorithms for the tests of the listing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "base/types.hpp"

namespace cliquepool::tests {

using Cliques = std::vector<std::vector<Node>>;
using AdjacencyMatrix = std::vector<std::vector<bool>>;

inline Graph graph_of(const AdjacencyMatrix& adjacent) {
  Graph graph;
  graph.offsets.push_back(0);
  for (std::size_t u = 0; u < adjacent.size(); ++u) {
    for (std::size_t v = 0; v < adjacent.size(); ++v) {
      if (adjacent[u][v]) graph.neighbours.push_back(static_cast<Node>(v));
    }
    graph.offsets.push_back(static_cast<Offset>(graph.neighbours.size()));
  }
  return graph;
}

// The graph of `n` nodes whose edges are the pairs u < v that `joined` accepts.
template <typename Joined>
AdjacencyMatrix matrix(std::size_t n, Joined&& joined) {
  AdjacencyMatrix adjacent(n, std::vector<bool>(n));
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = u + 1; v < n; ++v) adjacent[u][v] = adjacent[v][u] = joined(u, v);
  }
  return adjacent;
}
inline AdjacencyMatrix random_matrix(std::size_t n, double density, std::mt19937& random) {
  std::bernoulli_distribution coin(density);
  return matrix(n, [&](std::size_t, std::size_t) { return coin(random); });
}
// Joins every two nodes of different groups. Each group has `size` nodes.
inline AdjacencyMatrix moon_moser(std::size_t groups, std::size_t size) {
  return matrix(groups * size, [&](std::size_t u, std::size_t v) { return u / size != v / size; });
}

// By the definition: tries every set of nodes.
inline Cliques naive_maximal_cliques(const AdjacencyMatrix& adjacent) {
  const std::size_t n = adjacent.size();
  std::vector<std::uint32_t> near(n);
  for (std::size_t u = 0; u < n; ++u) {
    for (std::size_t v = 0; v < n; ++v) near[u] |= adjacent[u][v] ? 1U << v : 0U;
  }
  Cliques cliques;
  for (std::uint32_t set = 1; set < 1U << n; ++set) {
    std::uint32_t common = (1U << n) - 1;
    bool is_clique = true;
    std::vector<Node> members;
    for (std::size_t u = 0; u < n; ++u) {
      if ((set >> u & 1) == 0) continue;
      members.push_back(static_cast<Node>(u));
      common &= near[u];
      is_clique = is_clique && (set & ~(near[u] | 1U << u)) == 0;
    }
    if (is_clique && common == 0) cliques.push_back(members);
  }
  std::sort(cliques.begin(), cliques.end());
  return cliques;
}

// Textbook Bron-Kerbosch on ordered sets, for graphs too large for all subsets.
inline void plain_search(const AdjacencyMatrix& adjacent, std::vector<Node>& clique, std::set<Node> candidates,
                         std::set<Node> excluded, Cliques& cliques) {
  if (candidates.empty() && excluded.empty()) {
    cliques.push_back(clique);
    std::sort(cliques.back().begin(), cliques.back().end());
  }
  if (candidates.empty()) return;
  auto near = [&](Node v, const std::set<Node>& among) {
    std::set<Node> result;
    for (const Node u : among) {
      if (adjacent[idx(v)][idx(u)]) result.insert(u);
    }
    return result;
  };
  const Node pivot = *candidates.begin();
  for (const Node v : std::vector<Node>(candidates.begin(), candidates.end())) {
    if (adjacent[idx(pivot)][idx(v)]) continue;
    clique.push_back(v);
    plain_search(adjacent, clique, near(v, candidates), near(v, excluded), cliques);
    clique.pop_back();
    candidates.erase(v);
    excluded.insert(v);
  }
}
inline Cliques plain_maximal_cliques(const AdjacencyMatrix& adjacent) {
  Cliques cliques;
  if (adjacent.empty()) return cliques;
  std::vector<Node> clique;
  std::set<Node> all;
  for (std::size_t v = 0; v < adjacent.size(); ++v) all.insert(static_cast<Node>(v));
  plain_search(adjacent, clique, all, {}, cliques);
  std::sort(cliques.begin(), cliques.end());
  return cliques;
}

inline Cliques to_lists(const Ragged& cliques) {
  Cliques lists;
  for (Offset i = 0; i < cliques.size(); ++i) lists.emplace_back(cliques[i].begin(), cliques[i].end());
  return lists;
}
inline Cliques sorted(Cliques cliques) {
  std::sort(cliques.begin(), cliques.end());
  return cliques;
}
inline Cliques at_least(const Cliques& cliques, Node min_size) {
  Cliques large;
  for (const auto& clique : cliques) {
    if (clique.size() >= idx(min_size)) large.push_back(clique);
  }
  return large;
}
inline std::vector<std::int64_t> sizes_of(const Cliques& cliques) {
  std::vector<std::int64_t> by_size(1);
  for (const auto& clique : cliques) {
    if (clique.size() >= by_size.size()) by_size.resize(clique.size() + 1);
    ++by_size[clique.size()];
  }
  return by_size;
}

}  // namespace cliquepool::tests
