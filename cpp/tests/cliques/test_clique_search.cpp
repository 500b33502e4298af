#include "cliques/clique_search.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "cliques/clique_sinks.hpp"
#include "tests/check.hpp"
#include "tests/cliques/clique_cases.hpp"

using namespace cliquepool;
using namespace cliquepool::listing;
using namespace cliquepool::tests;

namespace {

// A problem whose v is node 0 and whose candidates are all others, and the rows of its excluded nodes.
struct Case {
  AdjacencyMatrix adjacent;
  std::vector<std::vector<bool>> excluded;
};

Case random_case(std::size_t size, double density, std::size_t num_excluded, double excluded_density,
                 std::mt19937& random) {
  Case result{random_matrix(size, density, random), {}};
  for (std::size_t u = 1; u < size; ++u) result.adjacent[0][u] = result.adjacent[u][0] = true;
  std::bernoulli_distribution coin(excluded_density);
  while (result.excluded.size() < num_excluded) {
    std::vector<bool> row(size);
    std::size_t count = 0;
    for (std::size_t u = 1; u < size; ++u) count += row[u] = coin(random);
    if (count > 0 && count < size - 1) result.excluded.push_back(row);
  }
  return result;
}

// The maximal cliques with node 0 whose other members are not all adjacent to the same excluded node.
Cliques expected_cliques(const Case& problem) {
  Cliques cliques;
  for (const auto& clique : plain_maximal_cliques(problem.adjacent)) {
    const bool maximal = std::none_of(problem.excluded.begin(), problem.excluded.end(), [&](const auto& row) {
      return std::all_of(clique.begin() + 1, clique.end(), [&](Node u) { return row[idx(u)]; });
    });
    if (maximal) cliques.push_back(clique);
  }
  return cliques;
}

void fill(const Case& given, int words, LocalProblem& problem) {
  problem.size = static_cast<int>(given.adjacent.size());
  problem.words = words;
  problem.self = 0;
  problem.nodes.assign(idx(words * kWordBits) + 1, -1);
  problem.candidates.assign(idx(words), 0);
  problem.rows.assign(idx(problem.size * words), 0);
  problem.excluded.assign(given.excluded.size() * idx(words), 0);
  for (int i = 0; i < problem.size; ++i) {
    problem.nodes[idx(i)] = i;
    if (i == 0) continue;
    set_bit(problem.candidates.data(), i);
    for (int j = 1; j < problem.size; ++j) {
      if (i == j || given.adjacent[idx(i)][idx(j)]) set_bit(problem.row(i), j);
    }
    for (std::size_t x = 0; x < given.excluded.size(); ++x) {
      if (given.excluded[x][idx(i)]) set_bit(problem.excluded.data() + x * idx(words), i);
    }
  }
}

// Searches with sets of `words` words.
void check_search(const Case& given, int words) {
  const Cliques expected = expected_cliques(given);
  for (const int min_size : {1, 4}) {
    Budget budget;
    Pace pace(budget);
    LocalProblem problem(budget);
    fill(given, words, problem);
    CliqueList list(min_size, budget);
    CliqueCounts counts(min_size, budget);
    CliqueSearch<CliqueList>(list, budget, pace).run(problem, min_size);
    CliqueSearch<CliqueCounts>(counts, budget, pace).run(problem, min_size);
    const Cliques large = at_least(expected, min_size);
    CHECK(sorted(to_lists(list.take())) == large);
    std::vector<std::int64_t> sizes = counts.by_size();
    sizes.resize(std::max<std::size_t>(sizes.size(), 1));
    CHECK(sizes == sizes_of(large));
  }
}

}  // namespace

TEST(search_at_every_width_finds_the_cliques_that_no_excluded_node_extends) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const std::size_t size = 3 + random() % 40;
    const Case given = random_case(size, static_cast<double>(random() % 80) / 100, random() % 200,
                                   static_cast<double>(1 + random() % 90) / 100, random);
    for (const int words : {1, 2, 4, 5}) check_search(given, words);
  }
}

// More than 64 excluded nodes are kept as rows, fewer are numbered.
TEST(search_finds_the_same_around_the_limit_of_numbered_nodes) {
  std::mt19937 random(2);
  for (const std::size_t num_excluded : {0UL, 1UL, 63UL, 64UL, 65UL, 66UL, 130UL}) {
    const Case given = random_case(50, 0.5, num_excluded, 0.4, random);
    for (const int words : {1, 2, 4, 6}) check_search(given, words);
  }
}

// Branches are handed over to narrower searches, with a clique that fits there or not.
TEST(search_of_wide_problems_finds_every_clique) {
  std::mt19937 random(3);
  for (const std::size_t size : {100UL, 140UL, 250UL, 300UL}) {
    for (const double density : {0.1, 0.3}) {
      const Case given = random_case(size, density, 100, 0.2, random);
      check_search(given, words_for(static_cast<int>(size)) <= 2 ? 2 : words_for(static_cast<int>(size)) <= 4 ? 4 : 5);
    }
  }
  // A clique of 250 nodes beside 60 nodes joined at random: they remain when the clique is complete.
  Case given = random_case(310, 0.4, 40, 0.3, random);
  for (std::size_t u = 0; u < 250; ++u) {
    for (std::size_t v = 0; v < 310; ++v) given.adjacent[u][v] = given.adjacent[v][u] = u != v;
  }
  check_search(given, 5);
}

// A clique can have more members than a thread's stack has room for calls.
TEST(search_goes_deep) {
  const std::size_t pairs = 1200;
  Case given{moon_moser(pairs, 2), {}};
  given.adjacent[0][1] = given.adjacent[1][0] = true;
  Limits limits;
  limits.max_cliques = 2000;
  Budget budget(limits);
  Pace pace(budget);
  LocalProblem problem(budget);
  fill(given, words_for(static_cast<int>(2 * pairs)), problem);
  CliqueCounts counts(1, budget);
  CliqueSearch<CliqueCounts> search(counts, budget, pace);
  CHECK_THROWS(search.run(problem, 1), BudgetExceeded);
  CHECK(counts.by_size().size() == pairs + 2);
}
