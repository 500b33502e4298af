// Graphs for the tests of the pooling, and what SPEC.md says of them by the shortest code there is.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace naive {

using cliquepool::Graph;
using cliquepool::GraphView;
using cliquepool::idx;
using cliquepool::Node;
using cliquepool::Offset;
using cliquepool::RaggedView;

using Matrix = std::vector<std::vector<bool>>;
using Nodes = std::vector<Node>;
using Lists = std::vector<Nodes>;
using Random = std::mt19937;

// ---- graphs ----

// The graph of `n` nodes whose edges are the pairs u < v that `joined` accepts.
template <typename Joined>
Matrix matrix(Node n, Joined&& joined) {
  Matrix adjacent(idx(n), std::vector<bool>(idx(n)));
  for (Node v = 0; v < n; ++v)
    for (Node u = 0; u < v; ++u) adjacent[idx(u)][idx(v)] = adjacent[idx(v)][idx(u)] = joined(u, v);
  return adjacent;
}
inline Matrix matrix_of(Node n, const std::vector<std::pair<Node, Node>>& edges) {
  Matrix adjacent(idx(n), std::vector<bool>(idx(n)));
  for (const auto& [u, v] : edges) adjacent[idx(u)][idx(v)] = adjacent[idx(v)][idx(u)] = true;
  return adjacent;
}
inline Matrix random_matrix(Node n, double density, Random& random) {
  std::bernoulli_distribution coin(density);
  return matrix(n, [&](Node, Node) { return coin(random); });
}
inline Matrix path(Node n) {
  return matrix(n, [](Node u, Node v) { return v == u + 1; });
}
inline Matrix cycle(Node n) {
  return matrix(n, [n](Node u, Node v) { return v == u + 1 || (u == 0 && v == n - 1); });
}
inline Matrix complete(Node n) {
  return matrix(n, [](Node, Node) { return true; });
}
// Every node is joined to every node outside its own group of `size`: size^groups maximum cliques.
inline Matrix complement_of_groups(Node groups, Node size) {
  return matrix(groups * size, [size](Node u, Node v) { return u / size != v / size; });
}

inline Node size_of(const Matrix& adjacent) { return static_cast<Node>(adjacent.size()); }
inline Nodes ones(Node n) { return Nodes(idx(n), 1); }
inline Nodes random_weights(Node n, Node most, Random& random) {
  std::uniform_int_distribution<Node> weight(1, most);
  Nodes weights(idx(n));
  for (Node& w : weights) w = weight(random);
  return weights;
}
inline Node random_between(Node least, Node most, Random& random) {
  return std::uniform_int_distribution<Node>(least, most)(random);
}
inline double random_density(double least, double most, Random& random) {
  return std::uniform_real_distribution<double>(least, most)(random);
}
inline Nodes random_order(Node n, Random& random) {
  Nodes order(idx(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

// The graphs side by side; with all edges between them if `joined`.
inline Matrix combine(const std::vector<Matrix>& parts, bool joined) {
  Nodes part_of;
  Nodes place;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    for (Node v = 0; v < size_of(parts[p]); ++v) {
      part_of.push_back(static_cast<Node>(p));
      place.push_back(v);
    }
  }
  return matrix(static_cast<Node>(part_of.size()), [&](Node u, Node v) {
    if (part_of[idx(u)] != part_of[idx(v)]) return joined;
    return static_cast<bool>(parts[idx(part_of[idx(u)])][idx(place[idx(u)])][idx(place[idx(v)])]);
  });
}
// Node v becomes name[v].
inline Matrix rename(const Matrix& adjacent, const Nodes& name) {
  Matrix renamed(adjacent.size(), std::vector<bool>(adjacent.size()));
  for (std::size_t u = 0; u < adjacent.size(); ++u)
    for (std::size_t v = 0; v < adjacent.size(); ++v) renamed[idx(name[u])][idx(name[v])] = adjacent[u][v];
  return renamed;
}
inline Nodes rename_weights(const Nodes& weights, const Nodes& name) {
  Nodes renamed(weights.size());
  for (std::size_t v = 0; v < weights.size(); ++v) renamed[idx(name[v])] = weights[v];
  return renamed;
}
// Every node v as sizes[v] twins, in random places.
inline Matrix with_twins(const Matrix& adjacent, const Nodes& sizes, Random& random) {
  Nodes original;
  for (std::size_t v = 0; v < sizes.size(); ++v) original.insert(original.end(), idx(sizes[v]), static_cast<Node>(v));
  std::shuffle(original.begin(), original.end(), random);
  return matrix(static_cast<Node>(original.size()), [&](Node u, Node v) {
    const Node a = original[idx(u)];
    const Node b = original[idx(v)];
    return a == b || adjacent[idx(a)][idx(b)];
  });
}

// ---- between these and the core's own types ----

inline Graph graph_of(const Matrix& adjacent) {
  Graph graph;
  graph.offsets.push_back(0);
  for (const std::vector<bool>& row : adjacent) {
    for (std::size_t v = 0; v < row.size(); ++v)
      if (row[v]) graph.neighbours.push_back(static_cast<Node>(v));
    graph.offsets.push_back(static_cast<Offset>(graph.neighbours.size()));
  }
  return graph;
}
inline Matrix matrix_of(GraphView graph) {
  Matrix adjacent(idx(graph.num_nodes()), std::vector<bool>(idx(graph.num_nodes())));
  for (Node v = 0; v < graph.num_nodes(); ++v)
    for (const Node u : graph[v]) adjacent[idx(v)][idx(u)] = true;
  return adjacent;
}
inline Lists lists_of(RaggedView ragged) {
  Lists lists;
  for (Offset i = 0; i < ragged.size(); ++i) lists.emplace_back(ragged[i].begin(), ragged[i].end());
  return lists;
}
inline Nodes nodes_of(std::span<const Node> nodes) { return {nodes.begin(), nodes.end()}; }

// ---- cliques and pools ----

inline Node weight_of(const Nodes& members, const Nodes& weights) {
  Node total = 0;
  for (const Node v : members) total += weights[idx(v)];
  return total;
}
// Heaviest first, then by ascending members.
inline Lists canonical(Lists pools, const Nodes& weights) {
  for (Nodes& pool : pools) std::sort(pool.begin(), pool.end());
  std::sort(pools.begin(), pools.end(), [&](const Nodes& a, const Nodes& b) {
    const Node left = weight_of(a, weights);
    const Node right = weight_of(b, weights);
    return left != right ? left > right : a < b;
  });
  return pools;
}

// All cliques of at most 16 nodes: every set is tried.
inline Lists cliques_by_subsets(const Matrix& adjacent) {
  const std::size_t n = adjacent.size();
  std::vector<std::uint32_t> near(n);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v < n; ++v) near[u] |= adjacent[u][v] ? 1U << v : 0U;
  Lists cliques;
  std::vector<bool> is_clique(std::size_t{1} << n);
  is_clique[0] = true;
  for (std::uint32_t set = 1; set < 1U << n; ++set) {
    const auto lowest = static_cast<std::size_t>(std::countr_zero(set));
    const std::uint32_t rest = set & (set - 1);
    is_clique[set] = is_clique[rest] && (rest & ~near[lowest]) == 0;
    if (!is_clique[set]) continue;
    Nodes& clique = cliques.emplace_back();
    for (std::uint32_t bits = set; bits != 0; bits &= bits - 1) clique.push_back(std::countr_zero(bits));
  }
  return cliques;
}

// All heaviest cliques among the live nodes, by extending cliques node by node while that can still pay.
class CliqueSearch {
 public:
  CliqueSearch(const Matrix& adjacent, const Nodes& weights) : adjacent_(adjacent), weights_(weights) {}

  Lists heaviest(const std::vector<bool>& live) {
    best_ = 0;
    found_.clear();
    Nodes all;
    for (std::size_t v = 0; v < live.size(); ++v)
      if (live[v]) all.push_back(static_cast<Node>(v));
    extend(all, 0);
    return found_;
  }
  Node weight() const { return best_; }

 private:
  void extend(const Nodes& candidates, Node weight) {
    if (weight > best_) {
      best_ = weight;
      found_.clear();
    }
    if (weight == best_ && weight > 0) found_.push_back(clique_);
    Node left = weight_of(candidates, weights_);
    for (std::size_t i = 0; i < candidates.size() && weight + left >= best_; ++i) {
      const Node v = candidates[i];
      Nodes common;
      for (std::size_t j = i + 1; j < candidates.size(); ++j)
        if (adjacent_[idx(v)][idx(candidates[j])]) common.push_back(candidates[j]);
      clique_.push_back(v);
      extend(common, weight + weights_[idx(v)]);
      clique_.pop_back();
      left -= weights_[idx(v)];
    }
  }

  const Matrix& adjacent_;
  const Nodes& weights_;
  Node best_ = 0;
  Nodes clique_;
  Lists found_;
};
inline Lists heaviest_cliques(const Matrix& adjacent, const Nodes& weights) {
  return canonical(CliqueSearch(adjacent, weights).heaviest(std::vector<bool>(adjacent.size(), true)), weights);
}

// The pools by rounds: all heaviest cliques of what is left, until nothing is.
using Rounds = std::vector<Lists>;

// Of a graph of at most 16 nodes.
inline Rounds rounds_by_subsets(const Matrix& adjacent, const Nodes& weights) {
  const Lists cliques = canonical(cliques_by_subsets(adjacent), weights);
  std::vector<bool> live(adjacent.size(), true);
  Rounds rounds;
  Node round_weight = 0;
  Lists round;
  const auto close = [&] {
    for (const Nodes& pool : round)
      for (const Node v : pool) live[idx(v)] = false;
    if (!round.empty()) rounds.push_back(std::move(round));
    round.clear();
  };
  for (const Nodes& clique : cliques) {
    const Node weight = weight_of(clique, weights);
    if (weight != round_weight) close();
    round_weight = weight;
    if (std::all_of(clique.begin(), clique.end(), [&](Node v) { return live[idx(v)]; })) round.push_back(clique);
  }
  close();
  return rounds;
}

inline Rounds rounds_by_search(const Matrix& adjacent, const Nodes& weights) {
  CliqueSearch search(adjacent, weights);
  std::vector<bool> live(adjacent.size(), true);
  Rounds rounds;
  while (std::find(live.begin(), live.end(), true) != live.end()) {
    rounds.push_back(canonical(search.heaviest(live), weights));
    for (const Nodes& pool : rounds.back())
      for (const Node v : pool) live[idx(v)] = false;
  }
  return rounds;
}

inline Lists concatenate(const Rounds& rounds) {
  Lists pools;
  for (const Lists& round : rounds) pools.insert(pools.end(), round.begin(), round.end());
  return pools;
}
inline Lists pools_by_subsets(const Matrix& adjacent, const Nodes& weights) {
  return concatenate(rounds_by_subsets(adjacent, weights));
}
inline Lists pools_by_search(const Matrix& adjacent, const Nodes& weights) {
  return concatenate(rounds_by_search(adjacent, weights));
}

// The pools of graphs side by side are those of each: all of a weight are taken together.
inline Lists pools_of_union(const std::vector<Matrix>& parts, const Nodes& weights) {
  Lists pools;
  Node first = 0;
  for (const Matrix& part : parts) {
    const Nodes part_weights(weights.begin() + first, weights.begin() + first + size_of(part));
    for (Nodes pool : pools_by_subsets(part, part_weights)) {
      for (Node& v : pool) v += first;
      pools.push_back(pool);
    }
    first += size_of(part);
  }
  return canonical(pools, weights);
}

// A heaviest clique of a join is one of each part, so a round of it is the product of the parts' rounds. Of more than
// `most` pools: none at all.
inline Lists pools_of_join(const std::vector<Matrix>& parts, const Nodes& weights, std::size_t most) {
  std::vector<Rounds> rounds;
  std::size_t num_rounds = 0;
  Node first = 0;
  for (const Matrix& part : parts) {
    const Nodes part_weights(weights.begin() + first, weights.begin() + first + size_of(part));
    rounds.push_back(rounds_by_subsets(part, part_weights));
    for (Lists& round : rounds.back())
      for (Nodes& pool : round)
        for (Node& v : pool) v += first;
    num_rounds = std::max(num_rounds, rounds.back().size());
    first += size_of(part);
  }
  Lists pools;
  for (std::size_t r = 0; r < num_rounds; ++r) {
    Lists product{{}};
    for (const Rounds& part : rounds) {
      if (r >= part.size()) continue;
      if (product.size() * part[r].size() > most) return {};
      Lists longer;
      for (const Nodes& start : product) {
        for (const Nodes& end : part[r]) {
          longer.push_back(start);
          longer.back().insert(longer.back().end(), end.begin(), end.end());
        }
      }
      product = std::move(longer);
    }
    pools.insert(pools.end(), product.begin(), product.end());
  }
  return canonical(pools, weights);
}

inline Lists rename_pools(Lists pools, const Nodes& name, const Nodes& renamed_weights) {
  for (Nodes& pool : pools)
    for (Node& v : pool) v = name[idx(v)];
  return canonical(pools, renamed_weights);
}

// ---- twins and coarse graphs ----

// By the set of each node, classes of equal sets numbered by their first node.
inline Nodes classes_of(const std::vector<std::vector<bool>>& sets) {
  Nodes classes;
  Node count = 0;
  for (std::size_t v = 0; v < sets.size(); ++v) {
    const auto twin = std::find(sets.begin(), sets.begin() + static_cast<std::ptrdiff_t>(v), sets[v]);
    const auto first = static_cast<std::size_t>(twin - sets.begin());
    classes.push_back(first == v ? count++ : classes[first]);
  }
  return classes;
}
inline Matrix closed(Matrix adjacent) {
  for (std::size_t v = 0; v < adjacent.size(); ++v) adjacent[v][v] = true;
  return adjacent;
}
inline Nodes twin_classes(const Matrix& adjacent) { return classes_of(closed(adjacent)); }

// N[P] of every pool.
inline std::vector<std::vector<bool>> neighbourhoods(const Matrix& adjacent, const Lists& pools) {
  const Matrix near = closed(adjacent);
  std::vector<std::vector<bool>> sets;
  for (const Nodes& pool : pools) {
    std::vector<bool>& set = sets.emplace_back(adjacent.size());
    for (const Node v : pool)
      for (std::size_t u = 0; u < set.size(); ++u) set[u] = set[u] || near[idx(v)][u];
  }
  return sets;
}
// Two pools are joined when some node of one is adjacent to some node of the other.
inline Matrix coarse_matrix(const Matrix& adjacent, const Lists& pools) {
  return matrix(static_cast<Node>(pools.size()), [&](Node p, Node q) {
    for (const Node u : pools[idx(p)])
      for (const Node v : pools[idx(q)])
        if (adjacent[idx(u)][idx(v)]) return true;
    return false;
  });
}

inline Node count_components(const Matrix& adjacent) {
  std::vector<bool> seen(adjacent.size());
  Node components = 0;
  for (std::size_t root = 0; root < adjacent.size(); ++root) {
    if (seen[root]) continue;
    ++components;
    seen[root] = true;
    std::vector<std::size_t> open{root};
    while (!open.empty()) {
      const std::size_t v = open.back();
      open.pop_back();
      for (std::size_t u = 0; u < adjacent.size(); ++u) {
        if (!adjacent[v][u] || seen[u]) continue;
        seen[u] = true;
        open.push_back(u);
      }
    }
  }
  return components;
}

}  // namespace naive
