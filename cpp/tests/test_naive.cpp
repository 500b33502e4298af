#include "tests/naive.hpp"

#include "tests/check.hpp"

using namespace naive;

TEST(naive_references_agree_with_each_other) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Node n = random_between(0, 11, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, 0.9, random), random);
    const Nodes weights = random_weights(n, i % 2 == 0 ? 1 : 4, random);
    CHECK(pools_by_search(adjacent, weights) == pools_by_subsets(adjacent, weights));
    if (n < 2) continue;
    const std::vector<Matrix> parts{adjacent, random_matrix(4, 0.5, random)};
    const Nodes all_weights = random_weights(n + 4, 3, random);
    CHECK(pools_of_union(parts, all_weights) == pools_by_subsets(combine(parts, false), all_weights));
    CHECK(pools_of_join(parts, all_weights, 1'000'000) == pools_by_subsets(combine(parts, true), all_weights));
  }
}
