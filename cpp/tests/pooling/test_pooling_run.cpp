#include "pooling/pooling_run.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/pooling_cases.hpp"

using namespace cliquepool;
using namespace naive;

TEST(closing_a_round_gives_pools_in_canonical_order_and_removes_their_members) {
  OneRun one(complete(9), {}, {.threads = 2});
  PoolingRun& run = one.run;
  CHECK(run.num_live() == 9);
  run.found(0).lists.append(Nodes{7, 1, 4});
  run.found(1).lists.append(Nodes{1, 3, 2});
  run.found(0).lists.append(Nodes{4, 1, 2});
  run.found(1).charge(run.budget());
  CHECK(nodes_of(run.close_round()) == Nodes{1, 2, 3, 1, 2, 4, 1, 4, 7});
  CHECK(one.lists() == Lists{{1, 2, 3}, {1, 2, 4}, {1, 4, 7}});
  CHECK(run.num_live() == 4);
  CHECK(run.live()[0] == 1 && run.live()[7] == 0);

  // Pairs and singles are sorted in another way.
  run.found(1).lists.append(Nodes{8, 5});
  run.found(0).lists.append(Nodes{6});
  run.found(0).lists.append(Nodes{5, 6});
  run.close_round();
  CHECK(one.lists() == Lists{{1, 2, 3}, {1, 2, 4}, {1, 4, 7}, {5, 6}, {5, 8}, {6}});
  CHECK(run.num_live() == 1);
  CHECK(run.close_round().empty());  // nothing was found

  run.found().lists.append(Nodes{0});
  run.close_round(std::array{PoolingRun::FoundRange{0, 0, 1}});
  CHECK(one.lists().back() == Nodes{0});
  CHECK(run.num_live() == 0);
}

TEST(rounds_of_a_few_long_cliques_among_singles_are_sorted) {
  OneRun one(complete(9), {});
  one.run.found().lists.append(Nodes{8, 2, 5});
  for (const Node v : {7, 6, 4}) one.run.found().lists.append(Nodes{v});
  one.run.close_round();
  CHECK(one.lists() == Lists{{2, 5, 8}, {4}, {6}, {7}});
}

TEST(a_run_leaves_only_the_pools_charged) {
  const Graph graph = graph_of(complete(200));
  PoolingRun::Memory memory;
  for (int i = 0; i < 3; ++i) {
    Budget budget;
    Ragged pools;
    {
      PoolingRun run(graph.view(), {}, budget, pools, memory);
      CHECK(budget.bytes() >= 200);  // live flags
      for (Node v = 0; v < 200; ++v) run.found().lists.append(Nodes{v, 199 - v});
      run.found().charge(budget);
      run.close_round();
    }
    CHECK(budget.bytes() == pools.bytes());
  }
}

TEST(a_run_starts_afresh_after_one_that_was_interrupted) {
  const Graph graph = graph_of(complete(5));
  PoolingRun::Memory memory;
  Ragged pools;
  {
    Budget budget({.max_cliques = 2});
    PoolingRun run(graph.view(), {}, budget, pools, memory);
    run.remove(Nodes{0, 1});
    for (const Node v : {2, 3, 4}) run.found().lists.append(Nodes{v});
    CHECK_THROWS(run.found().charge(budget), BudgetExceeded);
  }
  Budget budget;
  PoolingRun run(graph.view(), {.only_first_round = true}, budget, pools, memory);
  CHECK(run.num_live() == 5);
  CHECK(run.found().lists.size() == 0);
  CHECK(run.wants_more());
  run.found().lists.append(Nodes{0, 1, 2, 3, 4});
  run.close_round();
  CHECK(!run.wants_more());
  CHECK(lists_of(pools.view()) == Lists{{0, 1, 2, 3, 4}});
}

TEST(ranges_of_several_threads_become_pools_in_their_order) {
  OneRun one(complete(9), {}, {.threads = 2});
  PoolingRun& run = one.run;
  for (const Nodes& pool : Lists{{0, 1}, {0, 2}, {6, 7, 8}}) run.found(0).lists.append(pool);
  for (const Nodes& pool : Lists{{1, 2}, {3}}) run.found(1).lists.append(pool);
  const std::array<PoolingRun::FoundRange, 5> ranges{{{0, 0, 2}, {1, 0, 1}, {1, 1, 1}, {1, 1, 2}, {0, 2, 3}}};
  CHECK(nodes_of(run.close_round(ranges)) == Nodes{0, 1, 0, 2, 1, 2, 3, 6, 7, 8});
  CHECK(one.lists() == Lists{{0, 1}, {0, 2}, {1, 2}, {3}, {6, 7, 8}});
  CHECK(run.num_live() == 2);
}

TEST(rounds_of_equally_many_members_are_sorted_for_any_number_of_threads) {
  Random random(76);
  for (const Node size : {3, 4, 5, 6, 7}) {
    for (const unsigned threads : {1U, 3U}) {
      OneRun one(matrix(2000, [](Node, Node) { return false; }), {}, {.threads = threads});
      Lists expected;
      for (Node i = 0; i < 20000; ++i) {
        Nodes clique(idx(size));
        for (Node& member : clique) member = random_between(0, 1999, random);
        one.run.found(static_cast<unsigned>(i) % threads).lists.append(clique);
        std::sort(clique.begin(), clique.end());
        expected.push_back(clique);
      }
      std::sort(expected.begin(), expected.end());
      one.run.close_round();
      CHECK(one.lists() == expected);
    }
  }
}

TEST(rounds_of_triangles_are_sorted_alone_and_among_others) {
  Random random(77);
  for (const unsigned threads : {1U, 3U}) {
    for (const Node num_triangles : {4, 20000}) {
      for (const bool with_others : {false, true}) {
        OneRun one(matrix(3000, [](Node, Node) { return false; }), {}, {.threads = threads});
        Lists expected;
        for (Node round = 0; round < 2; ++round) {  // the first has few members, and then the second
          Lists pools;
          for (Node i = 0; i < (round == 0 ? num_triangles : 10); ++i) {
            Nodes clique(3);
            for (Node& member : clique) member = 1500 * round + random_between(0, 1499, random);
            one.run.found(static_cast<unsigned>(i) % threads).append_triangle(clique[0], clique[1], clique[2]);
            std::sort(clique.begin(), clique.end());
            pools.push_back(clique);
          }
          if (with_others) {
            pools.push_back({700, 2999});
            one.run.found().lists.append(pools.back());
          }
          std::sort(pools.begin(), pools.end());
          const Node live_before = one.run.num_live();
          const Nodes members = nodes_of(one.run.close_round());
          CHECK(members.size() == 3 * pools.size() - with_others);
          CHECK(one.run.num_live() < live_before);
          const auto live = one.run.live();
          CHECK(one.run.num_live() == std::accumulate(live.begin(), live.end(), Node{0}));
          for (const Node v : members) CHECK(live[idx(v)] == 0);
          expected.insert(expected.end(), pools.begin(), pools.end());
        }
        CHECK(one.lists() == expected);
        CHECK(one.budget.bytes() == one.pools.bytes() + 3000);  // live flags
      }
    }
  }
}
