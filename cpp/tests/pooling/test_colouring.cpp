#include "pooling/colouring.hpp"

#include <limits>

#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

bool is_independent(const Matrix& adjacent, const Nodes& nodes) {
  for (const Node u : nodes)
    for (const Node v : nodes)
      if (adjacent[idx(u)][idx(v)]) return false;
  return true;
}

// Every vertex is in one class or uncoloured, and classes are independent.
void check_classes(Colouring& colouring, const Matrix& adjacent, Node colours, const Nodes& uncoloured, int words,
                   Nodes coloured_before) {
  Nodes seen = uncoloured;
  for (Node colour = 0; colour < colours; ++colour) {
    const Nodes members = members_of(colouring.members(colour), words);
    CHECK(!members.empty());
    CHECK(is_independent(adjacent, members));
    seen.insert(seen.end(), members.begin(), members.end());
  }
  std::sort(seen.begin(), seen.end());
  CHECK(seen == coloured_before);
}

}  // namespace

TEST(greedy_and_repaired_colour_classes_are_independent_and_complete) {
  Random random(1);
  Budget budget;
  Pace pace(budget);
  Effort effort;
  effort.begin(1 << 30, pace);
  Colouring colouring;
  for (const Node n : kSizesOfEveryWidth) {
    const Matrix adjacent = random_matrix(n, random_density(0.1, 0.9, random), random);
    const BitGraph graph = bit_graph(adjacent, ones(n));
    with_width(graph, [&](auto width) {
      std::vector<Word> uncoloured = set_of(all_nodes(n), graph.words);
      const Node all = colouring.colour_greedily(width, graph, uncoloured.data(), n);
      CHECK(width.empty(uncoloured.data()));
      check_classes(colouring, adjacent, all, {}, graph.words, all_nodes(n));
      for (Node colours = 1; colours < all; colours += 3) {
        const Nodes among = random_subset(n, random);
        uncoloured = set_of(among, graph.words);
        const Node used = colouring.colour_greedily(width, graph, uncoloured.data(), colours);
        const Nodes before = members_of(uncoloured.data(), graph.words);
        CHECK(used <= colours);
        CHECK(used == colours || before.empty());
        check_classes(colouring, adjacent, used, before, graph.words, among);
        if (used < colours) continue;
        colouring.recolour(width, graph, uncoloured.data(), colours, effort);
        const Nodes after = members_of(uncoloured.data(), graph.words);
        CHECK(after.size() <= before.size());
        check_classes(colouring, adjacent, colours, after, graph.words, among);
      }
    });
  }
}

TEST(recolouring_moves_a_conflicting_vertex_to_another_class) {
  // First fit puts 0 and 1 into one class and 2 into another: 3, joined to both, is left over, though 2 colours
  // suffice.
  Budget budget;
  Pace pace(budget);
  Effort effort;
  effort.begin(1 << 30, pace);
  const BitGraph graph = bit_graph(matrix_of(4, {{1, 2}, {0, 3}, {2, 3}}), ones(4));
  Colouring colouring;
  const Width<1> width(1);
  Word uncoloured = 0b1111;
  CHECK(colouring.colour_greedily(width, graph, &uncoloured, 2) == 2);
  CHECK(uncoloured == 0b1000);
  colouring.recolour(width, graph, &uncoloured, 2, effort);
  CHECK(uncoloured == 0);
  CHECK(*colouring.members(0) == 0b1010);
  CHECK(*colouring.members(1) == 0b0101);
}

TEST(a_weighted_colouring_bounds_the_cliques_among_the_vertices_it_removes) {
  Random random(2);
  Colouring colouring;
  for (int i = 0; i < 200; ++i) {
    const Node n = i % 10 == 0 ? 70 : random_between(1, 20, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, n > 20 ? 0.3 : 0.9, random), random);
    const Nodes weights = random_weights(n, 1 + i % 7, random);
    const BitGraph graph = bit_graph(adjacent, weights);
    const Node heaviest = max_clique_weight(adjacent, weights);
    with_width(graph, [&](auto width) {
      std::vector<Word> rest = set_of(all_nodes(n), graph.words);
      const Node bound = colouring.colour_weights(width, graph, rest.data(), std::numeric_limits<std::int64_t>::max());
      CHECK(width.empty(rest.data()));
      CHECK(bound >= heaviest);
      for (Node limit = 1; limit <= heaviest; ++limit) {
        rest = set_of(all_nodes(n), graph.words);
        const Node below = colouring.colour_weights(width, graph, rest.data(), limit);
        CHECK(below < limit);
        CHECK(!width.empty(rest.data()));
        Nodes removed;
        for (Node v = 0; v < n; ++v)
          if (!test_bit(rest.data(), v)) removed.push_back(v);
        CHECK(max_clique_weight(adjacent, weights, removed) <= below);
      }
    });
  }
}
