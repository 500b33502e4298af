#include "pooling/word_graph.hpp"

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

bool fill(WordGraph& words, const Matrix& adjacent, const Nodes& weights) {
  return words.fill({graph_of(adjacent).view(), weights});
}

}  // namespace

TEST(a_word_graph_has_room_for_64_nodes) {
  WordGraph words;
  CHECK(fill(words, complete(64), {}));
  CHECK(words.all() == ~Word{0});
  CHECK(words.bound() == 64);
  CHECK(!fill(words, complete(65), {}));
  CHECK(fill(words, path(2), {1, 63}));
  CHECK(words.all() == ~Word{0});
  CHECK(words.twins(0) == 1);
  CHECK(words.twins(1) == ~Word{1});
  CHECK(!fill(words, path(2), {1, 64}));
  CHECK(!fill(words, path(2), {1, 10'000'000}));
  CHECK(fill(words, Matrix{}, {}));
  CHECK(words.all() == 0);
  CHECK(words.bound() == 0);
}

TEST(rounds_of_a_word_graph_are_the_naive_pools_in_their_order) {
  Random random(1);
  WordGraph words;
  for (int i = 0; i < 600; ++i) {
    const Node n = random_between(1, i % 10 == 0 ? 64 : 16, random);
    const Matrix adjacent = random_matrix(n, random_density(0.05, n > 16 ? 0.4 : 0.95, random), random);
    const Nodes weights = random_weights(n, n > 16 ? 1 : 1 + i % 4, random);
    CHECK(fill(words, adjacent, weights));
    Word live = words.all();
    Node bound = words.bound();
    std::int64_t effort = 1'000'000'000;
    for (const Lists& round : rounds_by_search(adjacent, weights)) {
      const Node weight = weight_of(round.front(), weights);
      CHECK(bound >= weight);
      Ragged cliques;
      for (; bound > weight; --bound) CHECK(words.list_cliques(words.peel(live, bound), bound, cliques, effort));
      CHECK(cliques.size() == 0);
      const Word core = words.peel(live, weight);
      CHECK((core & ~live) == 0);
      CHECK(words.list_cliques(core, weight, cliques, effort));
      CHECK(lists_of(cliques.view()) == round);
      for (const Node v : cliques.members.span()) {
        CHECK((core & words.twins(v)) == words.twins(v));
        live &= ~words.twins(v);
      }
    }
    CHECK(live == 0);
  }
}

TEST(a_word_graph_gives_up_once_its_effort_is_spent) {
  WordGraph words;
  CHECK(fill(words, complement_of_groups(20, 3), {}));
  CHECK(words.peel(words.all(), 20) == words.all());
  Ragged cliques;
  std::int64_t effort = 100;
  CHECK(!words.list_cliques(words.all(), 20, cliques, effort));
  CHECK(effort < 0);
}
