#include "pooling/small_graph_pooling.hpp"

#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/pooling/pooling_cases.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

Lists pool_small(SmallGraphPooling& pooling, const Matrix& adjacent, const Nodes& weights,
                 const PoolingOptions& options = {}) {
  OneRun one(adjacent, weights, options);
  CHECK(SmallGraphPooling::fits(one.run.graph()));
  pooling.pool(one.run);
  return one.lists();
}

}  // namespace

TEST(small_graphs_have_fewer_vertices_than_a_word_has_bits) {
  CHECK(SmallGraphPooling::fits(graph_of({}).view()));
  CHECK(SmallGraphPooling::fits(graph_of(path(63)).view()));
  CHECK(!SmallGraphPooling::fits(graph_of(path(64)).view()));
}

TEST(pools_of_sparse_small_graphs_are_the_naive_ones) {
  Random random(61);
  SmallGraphPooling pooling;
  for (int i = 0; i < 200; ++i) {
    const Node n = random_between(0, 63, random);
    const Matrix adjacent = random_matrix(n, random_density(0.02, 0.3, random), random);
    const Nodes weights = random_weights(n, i % 3 + 1, random);
    CHECK(pool_small(pooling, adjacent, weights) == pools_by_search(adjacent, weights));
    if (n == 0) continue;
    CHECK(pool_small(pooling, adjacent, weights, {.only_first_round = true}) == heaviest_cliques(adjacent, weights));
  }
}

// Enumeration gives up on them, before the first round or after some.
TEST(pools_of_dense_small_graphs_are_the_product_of_their_parts) {
  Random random(62);
  SmallGraphPooling pooling;
  for (const Node size : {36, 50, 63}) {
    for (const Node heaviest : {1, 2, kHeavy}) {
      const Case given = random_join(size, 5, 7, heaviest, random);
      CHECK(pool_small(pooling, given.adjacent, given.weights) == given.pools);
    }
  }
}
