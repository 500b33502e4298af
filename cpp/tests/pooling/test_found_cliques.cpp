#include "pooling/found_cliques.hpp"

#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// Stands for a local search that finds given cliques.
struct GivenCliques {
  Lists cliques;

  template <typename Found>
  Node heaviest(Node target, Pace&, Found&& found) {
    for (const Nodes& clique : cliques) found(std::span<const Node>(clique));
    return cliques.empty() ? target - 1 : target;
  }
};

}  // namespace

TEST(found_cliques_are_named_by_vertex_and_without_copies) {
  Budget budget;
  Pace pace(budget);
  FoundCliques found;
  GivenCliques search{{{1, 2}, {1, 3}}};
  const Nodes vertex{0, 10, 20, FoundCliques::kCopy};
  const Node leader[] = {5};
  const auto vertex_of = [&](Node local) { return vertex[idx(local)]; };
  CHECK(found.append_heaviest(search, 7, leader, vertex_of, pace, budget) == 7);
  CHECK(found.append_heaviest(search, 7, {}, vertex_of, pace, budget) == 7);
  CHECK(lists_of(found.lists.view()) == Lists{{5, 10, 20}, {5, 10}, {10, 20}, {10}});
  search.cliques.clear();
  CHECK(found.append_heaviest(search, 7, leader, vertex_of, pace, budget) == 6);
  CHECK(found.lists.size() == 4);
}

TEST(found_cliques_are_charged_until_they_are_cleared) {
  Budget budget({.max_cliques = 1000});
  Pace pace(budget);
  FoundCliques found;
  GivenCliques search{Lists(600, Nodes{1})};
  const auto same = [](Node local) { return local; };
  found.append_heaviest(search, 1, {}, same, pace, budget);
  CHECK(budget.bytes() == found.lists.bytes());
  found.clear(budget);
  CHECK(budget.bytes() == 0);
  CHECK(found.lists.size() == 0);
  CHECK_THROWS(found.append_heaviest(search, 1, {}, same, pace, budget), BudgetExceeded);
  found.forget();
  CHECK(found.lists.size() == 0);
}

TEST(triangles_count_and_are_charged_like_lists) {
  Budget budget({.max_cliques = 3});
  FoundCliques found;
  found.lists.append(Nodes{7, 8});
  found.append_triangle(1, 2, 3);
  found.append_triangle(6, 5, 4);
  CHECK(found.size() == 3);
  found.charge(budget);
  CHECK(budget.bytes() == found.bytes());
  found.list_triangles();
  CHECK(found.triangles.empty());
  CHECK(lists_of(found.lists.view()) == Lists{{7, 8}, {1, 2, 3}, {6, 5, 4}});
  found.append_triangle(1, 2, 3);
  CHECK_THROWS(found.charge(budget), BudgetExceeded);
  found.clear(budget);
  CHECK(found.size() == 0 && budget.bytes() == 0);
}
