#include "graph/twins.hpp"

#include <algorithm>
#include <vector>

#include "base/errors.hpp"
#include "tests/check.hpp"
#include "tests/large_graphs.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// Narrowed masks make hashes of different sets meet: of all sets of equal sum, or of all sets.
constexpr std::uint64_t kMasks[] = {~std::uint64_t{0}, 0x3, 0x0};

Matrix random_graph_with_twins(Random& random) {
  const Node n = random_between(0, 20, random);
  const Matrix base = random_matrix(n, random_density(0.05, 0.8, random), random);
  return with_twins(base, random_weights(n, random_between(1, 4, random), random), random);
}

Nodes class_sizes(const Nodes& classes) {
  Nodes sizes;
  for (const Node c : classes) {
    if (idx(c) == sizes.size()) sizes.push_back(0);
    ++sizes[idx(c)];
  }
  return sizes;
}

}  // namespace

TEST(twin_classes_are_the_classes_of_equal_closed_neighbourhoods) {
  for (const std::uint64_t mask : kMasks) {
    Random random(1);
    TwinFinder finder(mask);
    TwinLevel level;
    for (int i = 0; i < 600; ++i) {
      const Matrix adjacent = random_graph_with_twins(random);
      const Graph graph = graph_of(adjacent);
      Budget budget;
      finder.run(graph.view(), budget, level);
      const Nodes expected = twin_classes(adjacent);
      CHECK(nodes_of(level.classes.span()) == expected);
      CHECK(nodes_of(level.sizes.span()) == class_sizes(expected));
      CHECK(level.twin_free() == (level.sizes.size() == adjacent.size()));
    }
  }
}

TEST(expanded_quotient_is_the_graph_again) {
  for (const std::uint64_t mask : kMasks) {
    Random random(2);
    TwinFinder finder(mask);
    TwinLevel level;
    for (int i = 0; i < 400; ++i) {
      const Graph graph = graph_of(random_graph_with_twins(random));
      Budget budget;
      finder.run(graph.view(), budget, level);
      const GraphView quotient = level.quotient_or(graph.view());
      CHECK(idx(quotient.num_nodes()) == level.sizes.size());
      CHECK(count_expanded_edges(level.sizes.span(), quotient) == graph.view().num_edges());
      const Graph expanded = expand(level.classes.span(), level.sizes.span(), quotient, budget);
      CHECK(check::equal(expanded.offsets.span(), graph.offsets.span()));
      CHECK(check::equal(expanded.neighbours.span(), graph.neighbours.span()));
    }
  }
}

TEST(quotient_is_twin_free_and_joins_classes_as_their_nodes_are) {
  Random random(3);
  TwinFinder finder;
  TwinLevel level;
  for (int i = 0; i < 400; ++i) {
    const Matrix adjacent = random_graph_with_twins(random);
    const Graph graph = graph_of(adjacent);
    Budget budget;
    finder.run(graph.view(), budget, level);
    const Matrix quotient = matrix_of(level.quotient_or(graph.view()));
    for (std::size_t u = 0; u < adjacent.size(); ++u) {
      for (std::size_t v = 0; v < adjacent.size(); ++v) {
        const Node c = level.classes[u];
        const Node d = level.classes[v];
        if (c != d) CHECK(adjacent[u][v] == quotient[idx(c)][idx(d)]);
      }
    }
    CHECK(class_sizes(twin_classes(quotient)).size() == quotient.size());
  }
}

TEST(twin_free_level_leaves_the_quotient_to_the_graph) {
  const Graph graph = graph_of(path(5));
  TwinFinder finder;
  TwinLevel level;
  Budget budget;
  finder.run(graph_of(complete(4)).view(), budget, level);
  CHECK(level.sizes.size() == 1);
  CHECK(level.quotient_or(graph.view()).num_nodes() == 1);
  CHECK(count_expanded_edges(level.sizes.span(), level.quotient.view()) == 6);
  finder.run(graph.view(), budget, level);
  CHECK(level.twin_free());
  CHECK(level.quotient.neighbours.empty());
  CHECK(level.quotient_or(graph.view()).neighbours.data() == graph.neighbours.data());
}

TEST(graph_without_nodes_has_no_twins) {
  const Graph graph = graph_of({});
  TwinFinder finder;
  TwinLevel level;
  Budget budget;
  finder.run(graph.view(), budget, level);
  CHECK(level.twin_free());
  CHECK(level.classes.empty());
  const Graph expanded = expand({}, {}, graph.view(), budget);
  CHECK(expanded.view().num_nodes() == 0);
}

TEST(expanded_members_are_the_nodes_of_the_classes_ascending) {
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    const Nodes classes = twin_classes(random_graph_with_twins(random));
    const Nodes sizes = class_sizes(classes);
    const Node num_classes = static_cast<Node>(sizes.size());
    Ragged lists;
    Lists expected;
    for (int l = 0; l < 8; ++l) {
      Nodes list = random_order(num_classes, random);
      list.resize(idx(random_between(0, num_classes, random)));
      if (l % 2 == 0) std::sort(list.begin(), list.end());
      lists.append(list);
      Nodes& nodes = expected.emplace_back();
      for (Node v = 0; v < static_cast<Node>(classes.size()); ++v)
        if (std::find(list.begin(), list.end(), classes[idx(v)]) != list.end()) nodes.push_back(v);
    }
    Budget budget;
    CHECK(lists_of(expand_members(lists.view(), classes, sizes, budget).view()) == expected);
  }
}

TEST(merged_members_are_the_classes_that_were_expanded) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const Nodes classes = twin_classes(random_graph_with_twins(random));
    const Nodes sizes = class_sizes(classes);
    const Node num_classes = static_cast<Node>(sizes.size());
    // Enough lists for several ranges, some of the time.
    const int num_lists = i < 195 ? 8 : 40000;
    Ragged lists;
    for (int l = 0; l < num_lists; ++l) {
      Nodes list;
      for (Node c = 0; c < num_classes; ++c)
        if (random_between(0, 2, random) == 0) list.push_back(c);
      lists.append(list);
    }
    Budget budget;
    for (const unsigned threads : {1U, 3U}) {
      Ragged nodes = expand_members(lists.view(), classes, sizes, budget);
      merge_members(nodes, classes, threads, budget);
      CHECK(check::equal(nodes.offsets.span(), lists.offsets.span()));
      CHECK(check::equal(nodes.members.span(), lists.members.span()));
    }
  }
}

TEST(representatives_are_the_smallest_nodes_of_the_classes) {
  CHECK(nodes_of(representatives_of(Nodes{0, 1, 0, 2, 1, 2}, 3).span()) == Nodes{0, 1, 3});
  CHECK(representatives_of({}, 0).empty());
  CHECK_THROWS(representatives_of(Nodes{0, 2, 1}, 3), GraphError);
}

TEST(expanding_is_charged_before_it_is_done) {
  // Two classes of two million nodes each: eight million million edges.
  const Nodes sizes{2'000'000, 2'000'000};
  const Graph quotient = graph_of(path(2));
  CHECK(count_expanded_edges(sizes, quotient.view()) == std::int64_t{4'000'000} * 3'999'999 / 2);
  const Nodes classes{0, 1};  // never looked at
  Budget budget({.max_bytes = 1 << 30});
  CHECK_THROWS(expand(classes, sizes, quotient.view(), budget), BudgetExceeded);
  Ragged lists;
  for (int i = 0; i < 1000; ++i) lists.append(Nodes{0, 1});
  Budget other({.max_bytes = 1 << 30});
  CHECK_THROWS(expand_members(lists.view(), classes, sizes, other), BudgetExceeded);
}

TEST(twins_of_a_large_graph_are_the_same_for_any_number_of_threads) {
  Random random(55);
  Nodes pairs;
  const Node n = 30000;
  // Cliques of three nodes each, joined in a ring and at random: most nodes of a clique are twins.
  for (Node v = 0; v + 3 <= n; v += 3) {
    append_clique(pairs, {v, v + 1, v + 2});
    append_clique(pairs, {v, (v + 3) % n});
    for (int i = 0; i < 4; ++i) append_clique(pairs, {v, random_between(0, n - 1, random) / 3 * 3});
  }
  const Graph graph = graph_of_pairs(pairs, n);
  Budget budget;
  TwinLevel expected;
  TwinFinder().run(graph.view(), budget, expected);
  CHECK(!expected.twin_free());
  for (const unsigned threads : kThreadCounts) {
    TwinLevel level;
    TwinFinder().run(graph.view(), budget, level, threads);
    const auto equal = [](const auto& a, const auto& b) {
      return std::equal(a.span().begin(), a.span().end(), b.span().begin(), b.span().end());
    };
    CHECK(equal(level.classes, expected.classes));
    CHECK(equal(level.sizes, expected.sizes));
    CHECK(equal(level.quotient.offsets, expected.quotient.offsets));
    CHECK(equal(level.quotient.neighbours, expected.quotient.neighbours));
  }
}
