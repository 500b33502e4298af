#include "pooling/last_vertices.hpp"

#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"

using namespace cliquepool;
using namespace naive;

TEST(the_last_vertices_of_a_clique_are_all_candidates_or_all_edges_between_them) {
  Random random(1);
  SearchState state;
  for (const Node n : kSizesOfEveryWidth) {
    const Matrix adjacent = random_matrix(n, random_density(0.1, 0.9, random), random);
    const BitGraph graph = bit_graph(adjacent, ones(n));
    const Nodes among = random_subset(n, random);
    Lists expected[kMaxLastVertices + 1] = {{{n}}, {}, {}};
    for (const Node u : among) {
      expected[1].push_back({n, u});
      for (const Node v : among)
        if (u < v && adjacent[idx(u)][idx(v)]) expected[2].push_back({n, u, v});
    }
    state.graph = &graph;
    for (const Node need : {0, 1, 2}) {
      Lists found;
      state.found_any = false;
      with_width(graph, [&](auto width) {
        state.stack.begin(width, set_of(among, graph.words).data(), need);
        state.stack.chosen().push_back(n);
        choose_last_vertices(width, state, need,
                             [&](std::span<const Node> members) { found.push_back(nodes_of(members)); });
      });
      CHECK(found == expected[need]);
      CHECK(state.found_any == !found.empty());
      CHECK(nodes_of(state.stack.chosen().span()) == Nodes{n});
    }
  }
}
