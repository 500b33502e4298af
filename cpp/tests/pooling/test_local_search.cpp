#include "pooling/local_search.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"
#include "tests/pooling/pooling_cases.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

struct Reached {
  Node weight = 0;
  Lists cliques;
};
Reached heaviest(LocalSearch& search, Node target, const Nodes& weights) {
  Budget budget;
  Pace pace(budget);
  Reached reached;
  reached.weight = search.heaviest(target, pace, [&](std::span<const Node> members) {
    Nodes& clique = reached.cliques.emplace_back();
    for (const Node v : members) clique.push_back(v - 1);
  });
  reached.cliques = canonical(reached.cliques, weights);
  return reached;
}
Node tighten(LocalSearch& search, Node bound) {
  Budget budget;
  Pace pace(budget);
  return search.tighten(bound, pace);
}

// Check, round after round, that every bound is at least the true weight of `rounds`, and that a search for that weight
// finds all cliques.
void check_rounds(LocalSearch& search, const Matrix& adjacent, const Nodes& weights, const Rounds& rounds, Node above,
                  bool remove_found = true) {
  fill(search, adjacent, weights);
  for (const Lists& round : rounds) {
    const Node truth = weight_of(round.front(), weights);
    CHECK(search.bound_by_colours() >= truth);
    Node target = truth + above;
    while (target > truth) {
      const Reached nothing = heaviest(search, target, weights);
      CHECK(nothing.cliques.empty());
      CHECK(nothing.weight < target);
      CHECK(nothing.weight >= truth);
      const Node tightened = tighten(search, target);
      CHECK(tightened <= target);
      CHECK(tightened >= truth);
      if (nothing.weight >= target) return;
      target = std::max(nothing.weight, truth);
    }
    CHECK(tighten(search, truth) == truth);
    const Reached found = heaviest(search, truth, weights);
    CHECK(found.weight == truth);
    CHECK(found.cliques == round);
    if (!remove_found) return;
    for (const Nodes& clique : round)
      for (const Node v : clique) search.remove(v + 1);
  }
}

Rounds split_by_weight(const Lists& pools, const Nodes& weights) {
  Rounds rounds;
  for (const Nodes& pool : pools) {
    if (rounds.empty() || weight_of(rounds.back().front(), weights) != weight_of(pool, weights)) rounds.emplace_back();
    rounds.back().push_back(pool);
  }
  return rounds;
}

}  // namespace

TEST(local_search_finds_exactly_all_heaviest_cliques_of_unit_graphs) {
  Random random(2);
  LocalSearch search;
  for (int i = 0; i < 1500; ++i) {
    const Node n = random_between(1, 13, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, 0.95, random), random);
    check_rounds(search, adjacent, ones(n), rounds_by_subsets(adjacent, ones(n)), i % 4);
  }
}

TEST(local_search_finds_exactly_all_heaviest_cliques_of_weighted_graphs) {
  Random random(3);
  LocalSearch search;
  for (int i = 0; i < 1500; ++i) {
    const Node n = random_between(1, 13, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, 0.95, random), random);
    const Node heaviest_node = i % 3 == 0 ? 2 : i % 3 == 1 ? 5 : 1000;
    const Nodes weights = random_weights(n, heaviest_node, random);
    check_rounds(search, adjacent, weights, rounds_by_subsets(adjacent, weights), i % 4);
  }
}

TEST(local_search_searches_few_heavy_vertices_as_twins) {
  Random random(4);
  LocalSearch search;
  for (int i = 0; i < 500; ++i) {
    const Node n = random_between(8, 14, random);
    const Matrix adjacent = random_matrix(n, random_density(0.3, 0.95, random), random);
    Nodes weights = ones(n);
    for (int heavy = 0; heavy < 3; ++heavy)
      weights[idx(random_between(0, n - 1, random))] = random_between(2, 4, random);
    check_rounds(search, adjacent, weights, rounds_by_subsets(adjacent, weights), i % 3);
  }
}

TEST(local_search_finds_all_heaviest_cliques_of_sparse_graphs_wider_than_a_word) {
  Random random(5);
  LocalSearch search;
  for (int i = 0; i < 40; ++i) {
    const Node n = random_between(50, 150, random);
    const Matrix adjacent = random_matrix(n, random_density(0.02, 0.2, random), random);
    const Nodes weights = random_weights(n, i % 2 == 0 ? 1 : 5, random);
    check_rounds(search, adjacent, weights, rounds_by_search(adjacent, weights), i % 3);
  }
}

// Sizes around the widths that the search is compiled for: 1, 2, 4 words, and any.
TEST(local_search_finds_all_heaviest_cliques_of_dense_graphs_of_every_width) {
  Random random(6);
  LocalSearch search;
  for (const Node size : {62, 63, 64, 65, 70, 126, 127, 128, 129, 150, 191, 192, 200, 254, 255, 256, 257, 320, 330}) {
    for (const Node heaviest_node : {1, 2, 3000}) {
      const Case join = random_join(size, 6, 6, heaviest_node, random);
      check_rounds(search, join.adjacent, join.weights, split_by_weight(join.pools, join.weights), 1);
    }
  }
}

TEST(local_search_ignores_removed_vertices) {
  Random random(7);
  LocalSearch search;
  for (int i = 0; i < 400; ++i) {
    const Node n = random_between(2, 12, random);
    const Matrix adjacent = random_matrix(n, random_density(0.2, 0.9, random), random);
    const Nodes weights = random_weights(n, i % 2 == 0 ? 1 : 3, random);
    fill(search, adjacent, weights);
    std::vector<bool> live(idx(n), true);
    for (int removals = random_between(1, n - 1, random); removals > 0; --removals) {
      const Node v = random_between(0, n - 1, random);
      live[idx(v)] = false;
      search.remove(v + 1);
    }
    CliqueSearch naive_search(adjacent, weights);
    const Lists expected = canonical(naive_search.heaviest(live), weights);
    if (expected.empty()) continue;
    CHECK(search.bound_by_colours() >= naive_search.weight());
    CHECK(heaviest(search, naive_search.weight(), weights).cliques == expected);
    CHECK(tighten(search, naive_search.weight() + 5) >= naive_search.weight());
  }
}

TEST(local_search_is_as_new_after_a_search_that_was_cut_short) {
  struct CutShort {};
  Random random(8);
  LocalSearch search;
  Budget budget;
  Pace pace(budget);
  for (int i = 0; i < 60; ++i) {
    // The first clique ends the search: one of at most two vertices is found at the root, a larger one below.
    const Node groups = 1 + i % 6;
    fill(search, complement_of_groups(groups, 70), ones(70 * groups));
    const auto cut = [&](std::span<const Node>) { throw CutShort{}; };
    CHECK_THROWS(search.heaviest(groups, pace, cut), CutShort);
    const Node n = random_between(1, 12, random);
    const Matrix adjacent = random_matrix(n, random_density(0.2, 0.9, random), random);
    const Nodes weights = random_weights(n, 1 + i % 3, random);
    check_rounds(search, adjacent, weights, rounds_by_subsets(adjacent, weights), 1);
  }
}

TEST(local_search_finds_nothing_where_nothing_is_left) {
  LocalSearch search;
  fill(search, complete(3), ones(3));
  for (Node v = 1; v <= 3; ++v) search.remove(v);
  const Reached nothing = heaviest(search, 3, ones(3));
  CHECK(nothing.cliques.empty());
  CHECK(nothing.weight < 3);
  CHECK(tighten(search, 3) == 0);
  CHECK(search.bound_by_colours() == 0);
}

TEST(local_search_keeps_bounds_valid_when_the_effort_to_tighten_runs_out) {
  // The Mycielskian of a triangle-free graph is triangle-free and needs one colour more, so that colour bounds are
  // far too high.
  Matrix adjacent = cycle(5);
  for (int i = 0; i < 4; ++i) {
    const Node n = size_of(adjacent);
    const Matrix before = adjacent;
    adjacent = matrix(2 * n + 1, [&](Node u, Node v) {
      if (v == 2 * n) return u >= n;
      if (v < n) return static_cast<bool>(before[idx(u)][idx(v)]);
      return u < n && before[idx(u)][idx(v - n)];
    });
  }
  LocalSearch search;
  const Nodes weights = ones(size_of(adjacent));
  fill(search, adjacent, weights);
  CHECK(search.bound_by_colours() > 2);
  for (Node bound = 2; bound <= 8; ++bound) {
    const Node tightened = tighten(search, bound);
    CHECK(tightened >= 2);
    CHECK(tightened <= bound);
  }
  const std::size_t edges = graph_of(adjacent).neighbours.size() / 2;
  CHECK(heaviest(search, 3, weights).cliques.empty());
  CHECK(heaviest(search, 2, weights).cliques.size() == edges);
}

TEST(local_search_bytes_grow_with_the_graph) {
  CHECK(LocalSearch::bytes(64) > 0);
  for (Node size = 1; size < 2000; ++size) CHECK(LocalSearch::bytes(size + 1) > LocalSearch::bytes(size));
  CHECK(LocalSearch::bytes(100'000) > std::int64_t{1} << 30);
}

TEST(a_graph_restored_from_its_rows_is_searched_without_the_vertices_left_out) {
  Random random(12);
  LocalSearch search;
  for (int i = 0; i < 400; ++i) {
    const Node n = random_between(1, i % 8 == 0 ? kWordBits - 1 : 24, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, n > 24 ? 0.3 : 0.9, random), random);
    const Nodes weights = random_weights(n, i % 2 == 0 ? 1 : 4, random);
    std::vector<Word> rows(idx(n));
    for (Node v = 0; v < n; ++v)
      for (Node u = 0; u < n; ++u) rows[idx(v)] |= adjacent[idx(v)][idx(u)] ? Word{2} << u : 0;
    Word live = (~Word{0} >> (kWordBits - n)) << 1;
    for (const Lists& round : split_by_weight(pools_by_search(adjacent, weights), weights)) {
      const Node truth = weight_of(round.front(), weights);
      search.restore(rows, live, [&](Node v) { return weights[idx(v) - 1]; });
      CHECK(search.bound_by_colours() >= truth);
      CHECK(tighten(search, truth + 1) >= truth);
      const Reached nothing = heaviest(search, truth + 1, weights);
      CHECK(nothing.cliques.empty());
      CHECK(nothing.weight == truth);
      const Reached found = heaviest(search, truth, weights);
      CHECK(found.weight == truth);
      CHECK(found.cliques == round);
      for (const Nodes& clique : round)
        for (const Node v : clique) live &= ~(Word{2} << v);
    }
    CHECK(live == 0);
  }
}

namespace {

// One search, of which a second thread may take branches. The second waits before the search begins, so a long search
// offers a branch on every machine; where the second is slow to wake up, the first takes it back.
struct SharedOutcome {
  Node reached = 0;
  Lists cliques;
  std::atomic<int> branches_taken = 0;

  SharedOutcome(const Matrix& adjacent, const Nodes& weights, Node target) {
    Budget budget;
    BranchExchange exchange(budget);
    exchange.begin_work();
    FoundCliques of_second;
    std::thread second([&] {
      LocalSearch search;
      Pace pace(budget);
      while (const auto branch = exchange.take()) {
        ++branches_taken;
        search.search_branch(*branch, pace, of_second, exchange);
      }
    });
    while (!exchange.wanted()) std::this_thread::yield();
    LocalSearch search;
    fill(search, adjacent, weights);
    FoundCliques of_first;
    Pace pace(budget);
    const auto append = [&budget](std::span<const Node> members, FoundCliques& found) {
      found.append({}, members, [](Node local) { return local - 1; }, budget);
    };
    reached = search.heaviest(target, pace, of_first, append, exchange);
    while (const auto branch = exchange.take_until_ended(search.shared())) {
      ++branches_taken;
      search.search_branch(*branch, pace, of_first, exchange);
    }
    reached = search.with_branches(reached, target);
    exchange.end_work();
    second.join();
    for (const FoundCliques* found : {&of_first, &of_second})
      for (const Nodes& clique : lists_of(found->lists.view())) cliques.push_back(clique);
    cliques = canonical(cliques, weights);
  }
};

}  // namespace

TEST(threads_that_share_a_long_search_find_the_same_cliques) {
  Random random(77);
  int branches_taken = 0;
  for (int i = 0; i < 12; ++i) {
    const Node n = i % 4 == 3 ? 300 : 130;
    const Matrix adjacent = random_matrix(n, n == 300 ? 0.6 : 0.85, random);
    const Nodes weights = i % 3 == 0 ? ones(n) : random_weights(n, i % 3 + 1, random);
    LocalSearch alone;
    Node target = 0;
    Reached expected;
    for (const Node v : weights) target += v;
    for (bool found = false; !found;) {
      fill(alone, adjacent, weights);
      expected = heaviest(alone, target, weights);
      found = expected.weight == target;
      if (found) break;
      const SharedOutcome none(adjacent, weights, target);
      CHECK(none.cliques.empty());
      CHECK(none.reached < target);
      branches_taken += none.branches_taken;
      target = expected.weight;
    }
    const SharedOutcome shared(adjacent, weights, target);
    CHECK(shared.reached == target);
    CHECK(shared.cliques == expected.cliques);
    branches_taken += shared.branches_taken;
  }
  CHECK(branches_taken > 12);
}
