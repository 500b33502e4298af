#include "hierarchy/pool_trie.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "pooling/pooler.hpp"
#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using naive::Random;

// Whatever the order of the pools, the path at each visit is exactly the pool's members, highest degree first.
TEST(walking_the_trie_visits_every_pool_with_its_members_by_degree) {
  Random random(1);
  for (const Node n : {1, 10, 70, 150}) {
    const Graph graph = naive::graph_of(naive::random_matrix(n, 0.2, random));
    Budget budget;
    Ragged pools;
    Pooler().run(graph.view(), {}, budget, pools);
    PoolTrie trie;
    const ChargeScope scope(budget, trie.buffers());
    trie.build(graph.view(), pools.view(), 1, budget);
    CHECK(trie.size() == idx(pools.size()));

    std::vector<Node> slots(trie.size());
    std::iota(slots.begin(), slots.end(), 0);
    std::vector<Node> path;
    std::size_t pushes = 0;
    std::vector<bool> visited(trie.size());
    trie.walk(
        slots,
        [&](Node v) {
          path.push_back(v);
          ++pushes;
        },
        [&] { path.pop_back(); },
        [&](Node slot) {
          visited[idx(trie.pool(slot))] = true;
          for (std::size_t i = 1; i < path.size(); ++i)
            CHECK(graph.view().degree(path[i - 1]) >= graph.view().degree(path[i]));
          std::vector<Node> members = path;
          std::sort(members.begin(), members.end());
          CHECK(check::equal(members, pools[trie.pool(slot)]));
          std::vector<Node> listed;
          trie.for_each_member(slot, [&](Node v) { listed.push_back(v); });
          CHECK(listed == path);
        });
    CHECK(path.empty());
    CHECK(std::all_of(visited.begin(), visited.end(), [](bool seen) { return seen; }));
    CHECK(pushes <= pools.members.size());
  }
}
