#include "hierarchy/pool_twins.hpp"

#include <algorithm>
#include <cstdint>

#include "tests/check.hpp"
#include "tests/hierarchy/pooled_graph.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// With a mask of 0, all hashes collide.
constexpr std::uint64_t kMasks[] = {~std::uint64_t{0}, 0x3, 0x0};

TwinLevel twins_of(PoolTwins& finder, PooledGraph& pooled, unsigned threads = 1) {
  TwinLevel coarse;
  finder.find(pooled.graph.view(), pooled.pools.view(), pooled.trie, threads, coarse);
  return coarse;
}

}  // namespace

TEST(pools_with_the_same_closed_neighbourhood_are_twins) {
  // The edges of a cycle 0..3, each near to all of it, and those of a path 4-5-6.
  PooledGraph pooled(matrix_of(7, {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {4, 5}, {5, 6}}));
  CHECK(pooled.lists == Lists{{0, 1}, {0, 3}, {1, 2}, {2, 3}, {4, 5}, {5, 6}});
  for (const std::uint64_t mask : kMasks) {
    PoolTwins finder(mask);
    const ChargeScope scope(pooled.budget, finder);
    const TwinLevel coarse = twins_of(finder, pooled);
    CHECK(nodes_of(coarse.classes.span()) == Nodes{0, 0, 0, 0, 1, 1});
    CHECK(nodes_of(coarse.sizes.span()) == Nodes{4, 2});
  }
}

// The sets are of equal size, so that only comparing them tells them apart where the hashes collide.
TEST(pools_with_neighbourhoods_of_equal_size_are_no_twins) {
  PooledGraph pooled(cycle(5));
  for (const std::uint64_t mask : kMasks) {
    PoolTwins finder(mask);
    const ChargeScope scope(pooled.budget, finder);
    CHECK(nodes_of(twins_of(finder, pooled).classes.span()) == Nodes{0, 1, 2, 3, 4});
  }
}

TEST(classes_of_pools_are_the_naive_ones_with_their_first_pools_as_representatives) {
  for (const std::uint64_t mask : kMasks) {
    PoolTwins finder(mask);
    for_each_graph_to_coarsen([&](const Matrix& adjacent) {
      PooledGraph pooled(adjacent);
      const ChargeScope scope(pooled.budget, finder);
      const TwinLevel coarse = twins_of(finder, pooled);
      const Nodes expected = classes_of(neighbourhoods(adjacent, pooled.lists));
      CHECK(nodes_of(coarse.classes.span()) == expected);

      Nodes sizes(coarse.sizes.size(), 0);
      Nodes first_pools(coarse.sizes.size(), -1);
      for (std::size_t pool = 0; pool < expected.size(); ++pool) {
        Node& first = first_pools[idx(expected[pool])];
        if (sizes[idx(expected[pool])]++ == 0) first = static_cast<Node>(pool);
      }
      CHECK(nodes_of(coarse.sizes.span()) == sizes);
      const auto slots = finder.representatives();
      CHECK(std::is_sorted(slots.begin(), slots.end()));
      Nodes represented(slots.size(), -1);
      for (const Node slot : slots) represented[idx(expected[idx(pooled.trie.pool(slot))])] = pooled.trie.pool(slot);
      CHECK(represented == first_pools);
    });
  }
}

TEST(limit_on_bytes_ends_the_search_for_twin_pools) {
  PooledGraph pooled(cycle(200));
  PoolTwins finder(~std::uint64_t{0});
  TwinLevel coarse;
  Budget budget({.max_bytes = 1000});
  const ChargeScope scope(budget, finder);
  CHECK_THROWS(finder.find(pooled.graph.view(), pooled.pools.view(), pooled.trie, 1, coarse), BudgetExceeded);
}
