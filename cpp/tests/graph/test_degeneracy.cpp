#include "graph/degeneracy.hpp"

#include <algorithm>
#include <vector>

#include "tests/check.hpp"
#include "tests/large_graphs.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// By definition: the largest d such that v is left when nodes of degree below d are removed again and again.
Nodes naive_core_numbers(const Matrix& adjacent) {
  const std::size_t n = adjacent.size();
  Nodes core(n, 0);
  for (Node d = 1; d <= static_cast<Node>(n); ++d) {
    std::vector<bool> live(n, true);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t v = 0; v < n; ++v) {
        Node degree = 0;
        for (std::size_t u = 0; u < n; ++u) degree += adjacent[v][u] && live[u];
        if (!live[v] || degree >= d) continue;
        live[v] = false;
        changed = true;
      }
    }
    for (std::size_t v = 0; v < n; ++v)
      if (live[v]) core[v] = d;
  }
  return core;
}

void check_order(const Matrix& adjacent, DegeneracyOrder& degeneracy, unsigned threads) {
  const Graph graph = graph_of(adjacent);
  Budget budget;
  Pace pace(budget);
  const ChargeScope scope(budget, degeneracy);
  if (threads == 0) degeneracy.compute(graph.view(), pace);
  std::vector<Offset> num_later(adjacent.size());
  if (threads > 0) degeneracy.compute(graph.view(), threads, budget, num_later);
  const auto order = degeneracy.order();
  const auto rank = degeneracy.rank();
  CHECK(order.size() == adjacent.size());
  CHECK(rank.size() == adjacent.size());
  std::vector<bool> taken(adjacent.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    CHECK(idx(rank[idx(order[i])]) == i);
    taken[idx(order[i])] = true;
  }
  CHECK(std::find(taken.begin(), taken.end(), false) == taken.end());

  // The pooling and the listing rely on this: no node has more later neighbours than its core number.
  const Nodes core = naive_core_numbers(adjacent);
  for (std::size_t i = 0; i < order.size(); ++i) {
    Node later = 0;
    for (std::size_t j = i; j < order.size(); ++j) later += adjacent[idx(order[i])][idx(order[j])];
    CHECK(later <= core[idx(order[i])]);
    if (threads > 0) CHECK(num_later[i] == later);
    if (i > 0) CHECK(core[idx(order[i - 1])] <= core[idx(order[i])]);
  }
  CHECK(degeneracy.degeneracy() == (core.empty() ? 0 : *std::max_element(core.begin(), core.end())));
}

}  // namespace

TEST(degeneracy_order_leaves_each_node_at_most_its_core_number_of_later_neighbours) {
  Random random(1);
  DegeneracyOrder degeneracy;  // one for all graphs: it keeps its arrays
  for (int i = 0; i < 400; ++i) {
    const Node n = random_between(0, 24, random);
    check_order(random_matrix(n, random_density(0.02, 0.9, random), random), degeneracy, static_cast<unsigned>(i) % 4);
  }
}

TEST(degeneracy_of_known_graphs) {
  DegeneracyOrder degeneracy;
  const auto degeneracy_of = [&](const Matrix& adjacent) {
    const Graph graph = graph_of(adjacent);
    Budget budget;
    Pace pace(budget);
    const ChargeScope scope(budget, degeneracy);
    degeneracy.compute(graph.view(), pace);
    return degeneracy.degeneracy();
  };
  CHECK(degeneracy_of({}) == 0);
  CHECK(degeneracy_of(matrix(5, [](Node, Node) { return false; })) == 0);
  CHECK(degeneracy_of(path(9)) == 1);
  CHECK(degeneracy_of(cycle(9)) == 2);
  CHECK(degeneracy_of(complete(9)) == 8);
  CHECK(degeneracy_of(complement_of_groups(4, 3)) == 9);
}

TEST(degeneracy_order_of_a_large_graph_on_several_threads_has_as_few_later_neighbours) {
  Random random(2);
  const Graph graph = graph_with_hubs(20000, random);
  Budget budget;
  for (const unsigned threads : kThreadCounts) {
    DegeneracyOrder degeneracy;
    const ChargeScope scope(budget, degeneracy);
    std::vector<Offset> num_later(20000);
    degeneracy.compute(graph.view(), threads, budget, num_later);
    Node most = 0;
    std::vector<bool> seen(20000);
    for (const Node v : degeneracy.order()) {
      CHECK(!seen[idx(v)]);
      seen[idx(v)] = true;
      Node later = 0;
      for (const Node u : graph.view()[v]) later += degeneracy.rank()[idx(u)] > degeneracy.rank()[idx(v)];
      CHECK(num_later[idx(degeneracy.rank()[idx(v)])] == later);
      most = std::max(most, later);
    }
    CHECK(most == degeneracy.degeneracy());
    DegeneracyOrder serial;
    const ChargeScope serial_scope(budget, serial);
    Pace pace(budget);
    serial.compute(graph.view(), pace);
    CHECK(serial.degeneracy() == most);
  }
}
