#include "pooling/shard_search.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/sharded_graph.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// One shard with the state of its search.
struct Searched {
  Searched(const ShardedGraph& graph, Node number, const Nodes& all_weights)
      : shard(graph.cut(number, budget)), live(shard.ranks.size(), 1), bounds(shard.own.size()) {
    for (const Node v : shard.ranks.span()) weights.push_back(all_weights[idx(v)]);
    colours = colour_shard(view(), budget);
  }
  ShardView view() const { return {weights, shard.own.span(), shard.offsets.span(), shard.later.span()}; }
  ShardState state() { return {colours.span(), live, bounds}; }
  Node highest() const { return bounds.empty() ? 0 : *std::max_element(bounds.begin(), bounds.end()); }
  void find_bounds(Node most) { ShardSearch(view(), state(), budget).find_bounds(most); }
  Lists find_cliques(Node weight) {
    FoundCliques found;
    ShardSearch(view(), state(), budget).find_cliques(weight, found);
    Lists cliques = lists_of(found.lists.view());
    for (Nodes& clique : cliques)
      for (Node& v : clique) v = shard.ranks[idx(v)];
    return cliques;
  }
  // The same in calls that stop after the first cliques found.
  Lists find_cliques_in_pieces(Node weight) {
    Lists cliques;
    for (std::size_t first = 0; first < shard.own.size();) {
      FoundCliques found;
      first = ShardSearch(view(), state(), budget).find_cliques(weight, found, first, 1);
      CHECK(first == shard.own.size() || found.lists.size() > 0);
      for (Nodes& clique : lists_of(found.lists.view())) {
        for (Node& v : clique) v = shard.ranks[idx(v)];
        cliques.push_back(clique);
      }
      found.clear(budget);
    }
    return cliques;
  }
  void remove(const std::vector<bool>& pooled) {
    for (std::size_t v = 0; v < live.size(); ++v)
      if (pooled[idx(shard.ranks[v])]) live[v] = 0;
  }

  Budget budget;
  Shard shard;
  Nodes weights;
  std::vector<unsigned char> live;
  Nodes bounds;
  Buffer<Node> colours;
};

// Pools a graph round by round. With `forget`, every round starts from bounds that are found anew.
Lists pools_by_shards(const ShardedGraph& graph, const Nodes& weights, bool forget) {
  std::vector<std::unique_ptr<Searched>> shards;
  for (Node s = 0; s < graph.num_shards; ++s) {
    shards.push_back(std::make_unique<Searched>(graph, s, weights));
    shards.back()->find_bounds(kMaxNodes);
  }
  Lists pools;
  std::vector<bool> pooled(graph.adjacent.size());
  for (;;) {
    Node weight = 0;
    for (const auto& shard : shards) weight = std::max(weight, shard->highest());
    if (weight == 0) return canonical(pools, weights);
    Lists found;
    for (const auto& shard : shards) {
      if (forget) shard->find_bounds(weight);
      const Lists cliques = forget ? shard->find_cliques_in_pieces(weight) : shard->find_cliques(weight);
      found.insert(found.end(), cliques.begin(), cliques.end());
      CHECK(shard->highest() < weight);
    }
    for (const Nodes& clique : found)
      for (const Node v : clique) pooled[idx(v)] = true;
    for (const auto& shard : shards) shard->remove(pooled);
    pools.insert(pools.end(), found.begin(), found.end());
  }
}

TEST(shards_find_the_pools_of_the_whole_graph) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Node n = random_between(0, 18, random);
    const ShardedGraph graph(random_matrix(n, random_density(0, 1, random), random), 1 + i % 4, random);
    const Nodes weights = i % 3 == 0 ? ones(n) : random_weights(n, 5, random);
    const Lists expected = canonical(pools_by_search(graph.adjacent, weights), weights);
    CHECK(pools_by_shards(graph, weights, false) == expected);
    CHECK(pools_by_shards(graph, weights, true) == expected);
  }
}

TEST(shards_find_the_pools_of_neighbourhoods_larger_than_a_word) {
  Random random(4);
  for (const Node groups : {2, 4}) {
    const ShardedGraph graph(combine({complement_of_groups(groups, 3), random_matrix(90, 0.4, random)}, true), 2,
                             random);
    const Nodes weights = ones(size_of(graph.adjacent));
    CHECK(pools_by_shards(graph, weights, false) == canonical(pools_by_search(graph.adjacent, weights), weights));
  }
}

TEST(a_colouring_of_a_shard_is_proper) {
  Random random(5);
  const ShardedGraph graph(random_matrix(40, 0.3, random), 2, random);
  const Searched shard(graph, 0, ones(40));
  for (Node v = 0; v < shard.view().num_vertices(); ++v)
    for (const Node u : shard.view()[v]) CHECK(shard.colours[idx(v)] != shard.colours[idx(u)]);
}

TEST(a_search_of_a_shard_obeys_the_budget_and_releases_its_memory) {
  Random random(6);
  const ShardedGraph graph(complement_of_groups(5, 3), 1, random);
  Searched shard(graph, 0, ones(15));
  shard.find_bounds(kMaxNodes);
  FoundCliques found;
  Budget few({.max_cliques = 242});  // of 3^5
  CHECK_THROWS(ShardSearch(shard.view(), shard.state(), few).find_cliques(5, found), BudgetExceeded);
  found.forget();
  Budget enough({.max_cliques = 243});
  ShardSearch(shard.view(), shard.state(), enough).find_cliques(5, found);
  CHECK(found.lists.size() == 243);
  CHECK(enough.bytes() == found.lists.bytes());
}

}  // namespace
