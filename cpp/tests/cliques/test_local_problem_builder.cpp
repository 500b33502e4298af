#include "cliques/local_problem_builder.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "tests/check.hpp"
#include "tests/cliques/clique_cases.hpp"

using namespace cliquepool;
using namespace cliquepool::listing;
using namespace cliquepool::tests;

namespace {

using Nodes = std::set<Node>;

Nodes nodes_of(const LocalProblem& problem, const Word* set) {
  Nodes nodes;
  Width<0>(problem.words).for_each(set, [&](int i) { nodes.insert(problem.nodes[idx(i)]); });
  return nodes;
}
std::multiset<Nodes> excluded_of(const LocalProblem& problem) {
  std::multiset<Nodes> rows;
  for (std::size_t x = 0; x < problem.num_excluded(); ++x) rows.insert(nodes_of(problem, problem.excluded_row(x)));
  return rows;
}
Nodes neighbours(const AdjacencyMatrix& adjacent, Node v, const Nodes& among) {
  Nodes result;
  for (const Node u : among) {
    if (adjacent[idx(v)][idx(u)]) result.insert(u);
  }
  return result;
}

struct Expected {
  bool maximal = true;
  Nodes candidates;
  std::multiset<Nodes> excluded;
};

// By the definition. Problems of up to 255 local ids also lose candidates that are adjacent to no other candidate but
// to an excluded node.
Expected expected_problem(const AdjacencyMatrix& adjacent, const OrientedGraph<Node>& oriented, Node v) {
  const auto later = oriented.later(v);
  Expected expected;
  expected.candidates = {later.begin(), later.end()};
  Nodes earlier;
  for (std::size_t u = 0; u < adjacent.size(); ++u) {
    const auto node = static_cast<Node>(u);
    if (adjacent[idx(v)][u] && expected.candidates.count(node) == 0) earlier.insert(node);
  }
  const auto exclude = [&](std::size_t at_least) {
    expected.excluded.clear();
    for (const Node x : earlier) {
      const Nodes row = neighbours(adjacent, x, expected.candidates);
      expected.maximal = expected.maximal && row != expected.candidates;
      if (row.size() >= at_least) expected.excluded.insert(row);
    }
  };
  exclude(1);
  if (!expected.maximal || later.size() + 1 > 255 || expected.excluded.empty()) return expected;
  const Nodes all = expected.candidates;
  for (const Node u : all) {
    const bool covered = std::any_of(expected.excluded.begin(), expected.excluded.end(),
                                     [&](const Nodes& row) { return row.count(u) == 1; });
    if (covered && neighbours(adjacent, u, all).empty()) expected.candidates.erase(u);
  }
  if (expected.candidates.empty()) {
    expected.maximal = false;
  } else {
    exclude(2);
  }
  return expected;
}

void check_problems(const AdjacencyMatrix& adjacent) {
  const Graph graph = graph_of(adjacent);
  Budget budget;
  Pace pace(budget);
  OrientedGraph<Node> oriented(budget);
  oriented.build(graph.view(), pace);
  LocalProblemBuilder builder(graph.view(), oriented, budget, pace);
  LocalProblem problem(budget);
  for (Node v = 0; v < graph.view().num_nodes(); ++v) {
    const auto later = oriented.later(v);
    if (later.empty()) continue;
    const Expected expected = expected_problem(adjacent, oriented, v);
    CHECK(builder.build(v, problem) == expected.maximal);
    if (!expected.maximal) continue;
    CHECK(idx(problem.size) == later.size() + 1);
    CHECK(problem.words >= words_for(problem.size) && problem.nodes[idx(problem.self)] == v);
    CHECK(std::is_sorted(problem.nodes.begin(), problem.nodes.begin() + problem.size));
    CHECK(nodes_of(problem, problem.candidates.data()) == expected.candidates);
    CHECK(excluded_of(problem) == expected.excluded);
    Width<0>(problem.words).for_each(problem.candidates.data(), [&](int i) {
      const Node u = problem.nodes[idx(i)];
      Nodes row = neighbours(adjacent, u, expected.candidates);
      row.insert(u);
      CHECK(nodes_of(problem, problem.row(i)) == row);
    });
  }
}

}  // namespace

TEST(local_problems_of_small_graphs_are_those_of_the_definition) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    check_problems(random_matrix(2 + random() % 20, static_cast<double>(random() % 101) / 100, random));
  }
}

// 63, 127 and 255 local ids fill a set of 1, 2 and 4 words but for one bit.
TEST(local_problems_at_the_limits_of_each_width_are_those_of_the_definition) {
  std::mt19937 random(2);
  for (const std::size_t ids :
       {62UL, 63UL, 64UL, 65UL, 126UL, 127UL, 128UL, 129UL, 254UL, 255UL, 256UL, 257UL, 320UL}) {
    // A clique, and a few nodes joined to about half of it.
    std::bernoulli_distribution coin(0.5);
    check_problems(matrix(ids + 5, [&](std::size_t u, std::size_t v) { return v < ids || (u < ids && coin(random)); }));
  }
}
