#include "pooling/word_neighbourhoods.hpp"

#include <algorithm>

#include "pooling/pooler.hpp"
#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

constexpr std::int64_t kPlenty = 1'000'000'000;

bool fits(WordNeighbourhoods& neighbourhoods, const Matrix& adjacent, const Nodes& weights = {}) {
  static Budget budget;  // outlives the neighbourhoods
  neighbourhoods.bind(budget);
  return neighbourhoods.fill({graph_of(adjacent).view(), weights}, 1, budget);
}

// A graph on so many leaves, all joined to node 0.
Matrix star(Node leaves) {
  return matrix(leaves + 1, [](Node u, Node) { return u == 0; });
}
// Some nodes joined to most others.
Matrix with_hubs(Matrix adjacent, Node hubs, Random& random) {
  const Nodes order = random_order(size_of(adjacent), random);
  for (Node i = 0; i < hubs; ++i) {
    const std::size_t hub = idx(order[idx(i)]);
    for (std::size_t v = 0; v < adjacent.size(); ++v)
      if (v != hub && random_between(0, 9, random) > 0) adjacent[hub][v] = adjacent[v][hub] = true;
  }
  return adjacent;
}

Lists pool(const Matrix& adjacent, const Nodes& weights, const Pooler::Options& options = {}) {
  Budget budget;
  Ragged pools;
  Pooler().run({graph_of(adjacent).view(), weights}, options, budget, pools);
  return lists_of(pools.view());
}

// All heaviest cliques of the live nodes, put together from those that each leader has.
Lists heaviest_by_leaders(WordNeighbourhoods& neighbourhoods, const Nodes& weights, const std::vector<bool>& live) {
  const std::vector<unsigned char> bytes(live.begin(), live.end());
  std::int64_t effort = kPlenty;
  Node heaviest = 0;
  Nodes led(weights.size());
  for (std::size_t v = 0; v < live.size(); ++v) {
    if (!live[v]) continue;
    const Node leader = static_cast<Node>(v);
    led[v] = weights[v] +
             neighbourhoods.max_clique_weight(leader, neighbourhoods.live_later(leader, bytes.data()), 0, effort);
    heaviest = std::max(heaviest, led[v]);
  }
  Ragged cliques;
  for (std::size_t v = 0; v < live.size(); ++v) {
    if (led[v] != heaviest) continue;
    const Node leader = static_cast<Node>(v);
    const Word among = neighbourhoods.live_later(leader, bytes.data());
    const Offset before = cliques.size();
    neighbourhoods.list_cliques(leader, among, heaviest - weights[v], cliques, effort);
    CHECK(cliques.size() > before);
  }
  CHECK(effort >= 0);
  const Lists listed = lists_of(cliques.view());
  if (neighbourhoods.in_order()) CHECK(listed == canonical(listed, weights));
  return canonical(listed, weights);
}

}  // namespace

TEST(heaviest_cliques_by_leaders_are_the_naive_ones) {
  Random random(31);
  WordNeighbourhoods neighbourhoods;
  for (int i = 0; i < 300; ++i) {
    const Node n = random_between(5, 80, random);
    Matrix adjacent = random_matrix(n, random_density(0.02, 0.3, random), random);
    if (i % 3 == 0) adjacent = with_hubs(adjacent, random_between(1, 4, random), random);
    const Nodes weights = random_weights(n, i % 2 == 0 ? 1 : 2, random);
    if (!fits(neighbourhoods, adjacent, weights)) continue;
    std::vector<bool> live(idx(n));
    for (std::size_t v = 0; v < live.size(); ++v) live[v] = random_between(0, 4, random) > 0;
    if (std::find(live.begin(), live.end(), true) == live.end()) continue;
    CHECK(heaviest_by_leaders(neighbourhoods, weights, live) ==
          canonical(CliqueSearch(adjacent, weights).heaviest(live), weights));
  }
}

TEST(later_neighbours_fit_up_to_the_bits_of_a_word) {
  WordNeighbourhoods neighbourhoods;
  for (const Node n : {1, 2, 63, 64, 65}) {
    CHECK(fits(neighbourhoods, complete(n)));
    CHECK(neighbourhoods.in_order());
    std::int64_t effort = kPlenty;
    CHECK(neighbourhoods.max_clique_weight(0, neighbourhoods.all_later(0), 0, effort) == n - 1);
    Ragged cliques;
    neighbourhoods.list_cliques(0, neighbourhoods.all_later(0), n - 1, cliques, effort);
    CHECK(cliques.size() == 1 && cliques.members.size() == idx(n));
  }
  CHECK(!fits(neighbourhoods, complete(66)));
  CHECK(!fits(neighbourhoods, complete(100)));
  for (const Node weight : {1, 2, 31, 62, 63, 64}) {
    CHECK(fits(neighbourhoods, path(3), {1, weight, 1}));
    CHECK(!fits(neighbourhoods, complete(3), {64, 65 - weight, weight}));
    if (weight < 64) CHECK(fits(neighbourhoods, complete(3), {64, 64 - weight, weight}));
  }
  CHECK(!fits(neighbourhoods, path(2), {1, 65}));
  CHECK(!fits(neighbourhoods, path(2), {1, 10'000'000}));
}

TEST(hubs_come_after_their_neighbours) {
  WordNeighbourhoods neighbourhoods;
  for (const Node leaves : {64, 65, 500}) {
    CHECK(fits(neighbourhoods, star(leaves)));
    CHECK(neighbourhoods.in_order() == (leaves == 64));
    CHECK(std::popcount(neighbourhoods.all_later(0)) == (leaves == 64 ? 64 : 0));
    CHECK(std::popcount(neighbourhoods.all_later(1)) == (leaves == 64 ? 0 : 1));
  }
}

TEST(searches_stop_once_their_effort_is_spent) {
  WordNeighbourhoods neighbourhoods;
  CHECK(fits(neighbourhoods, complement_of_groups(20, 3)));
  std::int64_t effort = 1000;
  neighbourhoods.max_clique_weight(0, neighbourhoods.all_later(0), 0, effort);
  CHECK(effort < 0);
  effort = 1000;
  Ragged cliques;
  neighbourhoods.list_cliques(0, neighbourhoods.all_later(0), 19, cliques, effort);
  CHECK(effort < 0);
  CHECK(cliques.size() <= 1000);
}

TEST(pools_of_graphs_with_hubs_are_the_naive_ones) {
  Random random(32);
  for (int i = 0; i < 120; ++i) {
    const Node n = random_between(64, 130, random);
    const Matrix adjacent =
        with_hubs(random_matrix(n, random_density(0.005, 0.1, random), random), random_between(0, 5, random), random);
    const Nodes weights = random_weights(n, i % 3 == 0 ? 2 : 1, random);
    CHECK(pool(adjacent, weights) == pools_by_search(adjacent, weights));
    const Lists first = pool(adjacent, weights, {.only_first_round = true});
    CHECK(first == heaviest_cliques(adjacent, weights));
  }
}

// The denser the graph, the sooner the search in words gives up: before the first round, or between two.
TEST(pools_do_not_depend_on_when_a_search_in_words_gives_up) {
  Random random(33);
  for (int i = 0; i < 60; ++i) {
    const Node n = 64 + i % 8;
    const Matrix adjacent = random_matrix(n, 0.5 + 0.004 * i, random);
    const Nodes weights = random_weights(n, i % 5 == 0 ? 2 : 1, random);
    CHECK(pool(adjacent, weights) == pools_by_search(adjacent, weights));
  }
}
