#include "cliques/listing.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/check.hpp"
#include "tests/cliques/clique_cases.hpp"

using namespace cliquepool;
using namespace cliquepool::tests;

namespace {

Cliques listed(const Graph& graph, Node min_size = 1, unsigned threads = 1) {
  Budget budget;
  return to_lists(list_maximal_cliques(graph.view(), min_size, threads, budget));
}
std::vector<std::int64_t> counted(const Graph& graph, Node min_size = 1, unsigned threads = 1) {
  Budget budget;
  return count_maximal_cliques_by_size(graph.view(), min_size, threads, budget);
}

// Whether list and counts are as expected, in the same order for any number of threads.
bool lists_and_counts(const AdjacencyMatrix& adjacent, const Cliques& expected, Node min_size) {
  const Graph graph = graph_of(adjacent);
  const Cliques one = listed(graph, min_size, 1);
  const Cliques large = at_least(expected, min_size);
  return sorted(one) == large && one == listed(graph, min_size, 2) && one == listed(graph, min_size, 4) &&
         counted(graph, min_size, 1) == sizes_of(large) && counted(graph, min_size, 2) == sizes_of(large);
}

template <typename Call>
bool exceeds(Limit limit, Call&& call) {
  try {
    call();
  } catch (const BudgetExceeded& exceeded) {
    return exceeded.limit == limit && exceeded.reached > exceeded.allowed;
  }
  return false;
}

}  // namespace

TEST(listing_equals_naive_enumeration_on_small_graphs) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + random() % 12;
    const AdjacencyMatrix adjacent = random_matrix(n, static_cast<double>(random() % 101) / 100, random);
    CHECK(sorted(listed(graph_of(adjacent))) == naive_maximal_cliques(adjacent));
  }
}

TEST(listing_and_counts_agree_at_every_minimum_size_and_number_of_threads) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 11;
    const AdjacencyMatrix adjacent = random_matrix(n, static_cast<double>(random() % 101) / 100, random);
    const auto min_size = static_cast<Node>(random() % 6);
    CHECK(lists_and_counts(adjacent, naive_maximal_cliques(adjacent), min_size));
  }
}

TEST(listing_equals_textbook_search_at_every_width) {
  std::mt19937 random(3);
  // Sizes around 64, 128 and 256 local ids. Dense graphs have too many cliques, so they are smaller.
  const std::vector<std::pair<std::size_t, double>> shapes = {{40, 0.5},  {64, 0.3},  {65, 0.5}, {100, 0.4}, {130, 0.3},
                                                              {200, 0.2}, {260, 0.1}, {30, 0.8}, {25, 0.9}};
  for (const auto& [n, density] : shapes) {
    for (int round = 0; round < 3; ++round) {
      const AdjacencyMatrix adjacent = random_matrix(n, density, random);
      CHECK(lists_and_counts(adjacent, plain_maximal_cliques(adjacent), static_cast<Node>(round * 2)));
    }
  }
}

// Few cliques, but large neighbourhoods on both sides: groups of twins, joined at random.
TEST(listing_equals_textbook_search_on_large_cliques) {
  std::mt19937 random(4);
  for (const std::size_t copies : {3UL, 9UL, 20UL, 30UL}) {
    for (const double density : {0.3, 0.6, 0.9}) {
      const std::size_t groups = 12;
      const AdjacencyMatrix quotient = random_matrix(groups, density, random);
      const Cliques expected_groups = naive_maximal_cliques(quotient);
      const AdjacencyMatrix adjacent = matrix(groups * copies, [&](std::size_t u, std::size_t v) {
        return u % groups == v % groups || quotient[u % groups][v % groups];
      });
      Cliques expected;
      for (const auto& clique : expected_groups) {
        std::vector<Node> members;
        for (std::size_t v = 0; v < groups * copies; ++v) {
          if (std::find(clique.begin(), clique.end(), static_cast<Node>(v % groups)) != clique.end()) {
            members.push_back(static_cast<Node>(v));
          }
        }
        expected.push_back(members);
      }
      std::sort(expected.begin(), expected.end());
      CHECK(lists_and_counts(adjacent, expected, 1));
    }
  }
}

// A few late nodes with hundreds of earlier neighbours: many excluded nodes around few candidates.
TEST(listing_equals_textbook_search_around_hubs) {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    const std::size_t hubs = 3 + random() % (round % 2 == 0 ? 3 : 12);
    const std::size_t hubs_each = 2 + random() % (hubs - 1);
    std::bernoulli_distribution among_hubs(static_cast<double>(random() % 11) / 10);
    std::vector<std::size_t> shuffled(hubs);
    std::iota(shuffled.begin(), shuffled.end(), 0UL);
    AdjacencyMatrix adjacent =
        matrix(400, [&](std::size_t u, std::size_t v) { return u < hubs && v < hubs && among_hubs(random); });
    for (std::size_t v = hubs; v < adjacent.size(); ++v) {
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      for (std::size_t i = 0; i < hubs_each; ++i) adjacent[v][shuffled[i]] = adjacent[shuffled[i]][v] = true;
    }
    CHECK(lists_and_counts(adjacent, plain_maximal_cliques(adjacent), 1));
  }
}

// The candidates of node 0 are 1, 2 and 3. Candidate 3 is adjacent to no other candidate but to excluded nodes, so it
// is removed. Only then do excluded nodes, those adjacent to 1 and 2, cover all candidates.
TEST(excluded_nodes_may_cover_all_candidates_but_an_isolated_one) {
  const auto among_core = [](std::size_t u, std::size_t v) {
    if (u == 0) return v <= 3;
    if (u <= 2) return (v <= 2) || (v >= 4 && v < 10);
    return v >= 10 || (u >= 4 && (u < 10) == (v < 10));
  };
  const AdjacencyMatrix adjacent = matrix(216, [&](std::size_t u, std::size_t v) {
    if (v < 16) return among_core(u, v);
    return v < 116 ? u <= 2 : u == 0 || u == 3;
  });
  CHECK(lists_and_counts(adjacent, plain_maximal_cliques(adjacent), 1));
}

TEST(listing_of_nothing_is_empty) {
  const Graph graph = graph_of({});
  CHECK(listed(graph).empty());
  CHECK(listed(graph, 1, 4).empty());
  CHECK(counted(graph) == std::vector<std::int64_t>{0});
}

TEST(isolated_node_is_a_clique_of_one) {
  const Graph graph = graph_of(matrix(5, [](std::size_t u, std::size_t v) { return u == 1 && v == 3; }));
  CHECK(sorted(listed(graph)) == Cliques{{0}, {1, 3}, {2}, {4}});
  CHECK(listed(graph, 2) == Cliques{{1, 3}});
  CHECK(listed(graph, 3).empty());
  CHECK(counted(graph) == std::vector<std::int64_t>{0, 3, 1});
  CHECK(counted(graph, 3) == std::vector<std::int64_t>{0});
}

TEST(complete_graph_has_one_maximal_clique) {
  for (const std::size_t n : {1UL, 2UL, 63UL, 64UL, 65UL, 128UL, 129UL, 256UL, 257UL, 1500UL}) {
    const Graph graph = graph_of(matrix(n, [](std::size_t, std::size_t) { return true; }));
    const Cliques cliques = listed(graph);
    CHECK(cliques.size() == 1 && cliques[0].size() == n && std::is_sorted(cliques[0].begin(), cliques[0].end()));
    CHECK(counted(graph, 1, 2).size() == n + 1);
  }
}

TEST(disjoint_cliques_are_all_listed) {
  const Graph graph = graph_of(matrix(300, [](std::size_t u, std::size_t v) { return u % 10 == v % 10; }));
  const Cliques cliques = listed(graph);
  CHECK(cliques.size() == 10);
  CHECK(std::all_of(cliques.begin(), cliques.end(), [](const auto& clique) { return clique.size() == 30; }));
}

TEST(moon_moser_graphs_have_three_to_the_k_cliques) {
  std::int64_t expected = 1;
  for (std::size_t k = 1; k <= 10; ++k) {
    expected *= 3;
    const Graph graph = graph_of(moon_moser(k, 3));
    CHECK(counted(graph).back() == expected);
    CHECK(counted(graph).size() == k + 1);
    if (k <= 8) CHECK(listed(graph).size() == static_cast<std::size_t>(expected));
  }
}

TEST(cocktail_party_graphs_have_two_to_the_k_cliques) {
  for (std::size_t k = 1; k <= 14; ++k) {
    const Graph graph = graph_of(moon_moser(k, 2));
    CHECK(counted(graph).back() == std::int64_t{1} << k);
    if (k > 10) continue;
    const Cliques cliques = listed(graph);
    CHECK(std::set(cliques.begin(), cliques.end()).size() == std::size_t{1} << k);
  }
}

TEST(listing_stops_at_the_clique_limit) {
  const Graph graph = graph_of(moon_moser(9, 3));  // 19,683 cliques
  for (const unsigned threads : {1U, 3U}) {
    Limits limits;
    limits.max_cliques = 10000;
    CHECK(exceeds(Limit::cliques, [&] {
      Budget budget(limits);
      list_maximal_cliques(graph.view(), 1, threads, budget);
    }));
    CHECK(exceeds(Limit::cliques, [&] {
      Budget budget(limits);
      count_maximal_cliques_by_size(graph.view(), 1, threads, budget);
    }));
    limits.max_cliques = 19682;
    CHECK(exceeds(Limit::cliques, [&] {
      Budget budget(limits);
      list_maximal_cliques(graph.view(), 1, threads, budget);
    }));
    limits.max_cliques = 19683;
    Budget budget(limits);
    CHECK(list_maximal_cliques(graph.view(), 1, threads, budget).size() == 19683);
  }
}

TEST(listing_stops_at_the_byte_limit) {
  const Graph graph = graph_of(moon_moser(12, 3));  // 531,441 cliques, 30 MB
  Limits limits;
  limits.max_bytes = 4 << 20;
  for (const unsigned threads : {1U, 2U}) {
    CHECK(exceeds(Limit::bytes, [&] {
      Budget budget(limits);
      list_maximal_cliques(graph.view(), 1, threads, budget);
    }));
  }
  Budget budget(limits);
  CHECK(count_maximal_cliques_by_size(graph.view(), 1, 1, budget).back() == 531441);
}

TEST(a_large_neighbourhood_is_charged_before_it_is_built) {
  // The rows of 3,000 local ids take more than a megabyte. The graph belongs to the caller and is not charged.
  const Graph graph = graph_of(moon_moser(1500, 2));
  Limits limits;
  limits.max_bytes = 19 << 20;
  CHECK(exceeds(Limit::bytes, [&] {
    Budget budget(limits);
    count_maximal_cliques_by_size(graph.view(), 1, 1, budget);
  }));
}

TEST(a_finished_listing_charges_what_it_returns) {
  const Graph graph = graph_of(moon_moser(8, 3));
  for (const unsigned threads : {1U, 2U}) {
    Limits limits;
    limits.max_bytes = 100 << 20;
    Budget budget(limits);
    const Ragged cliques = list_maximal_cliques(graph.view(), 1, threads, budget);
    const auto returned =
        static_cast<std::int64_t>(cliques.offsets.size() * sizeof(Offset) + cliques.members.size() * sizeof(Node));
    budget.add_bytes(limits.max_bytes - returned);
    CHECK_THROWS(budget.add_bytes(1), BudgetExceeded);
  }
}

TEST(listing_stops_soon_after_the_time_limit) {
  std::mt19937 random(6);
  const std::vector<Graph> hostile = [&] {
    std::vector<Graph> graphs;
    graphs.push_back(graph_of(moon_moser(60, 3)));
    graphs.push_back(graph_of(moon_moser(700, 2)));
    graphs.push_back(graph_of(random_matrix(300, 0.9, random)));
    return graphs;
  }();
  for (const Graph& graph : hostile) {
    for (const unsigned threads : {1U, 2U}) {
      Limits limits;
      limits.max_seconds = 0.05;
      const auto start = std::chrono::steady_clock::now();
      CHECK(exceeds(Limit::seconds, [&] {
        Budget budget(limits);
        count_maximal_cliques_by_size(graph.view(), 1, threads, budget);
      }));
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      CHECK(taken.count() < 1);
    }
  }
}

TEST(an_interrupt_ends_the_listing) {
  const Graph graph = graph_of(moon_moser(60, 3));
  for (const unsigned threads : {1U, 2U}) {
    Budget budget({}, [](const Progress& progress) {
      CHECK(progress.total == 180);
      throw std::runtime_error("interrupted");
    });
    CHECK_THROWS(count_maximal_cliques_by_size(graph.view(), 1, threads, budget), std::runtime_error);
  }
  CHECK(counted(graph_of(moon_moser(5, 3))).back() == 243);
}
