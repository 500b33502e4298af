#include "pooling/induced_part.hpp"

#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// Some of the local vertices of a graph of n nodes, in random order.
Nodes random_vertices(Node n, Random& random) {
  Nodes vertices = random_order(n, random);
  vertices.resize(idx(random_between(1, n, random)));
  for (Node& v : vertices) ++v;
  return vertices;
}

}  // namespace

TEST(a_part_has_the_edges_and_weights_of_its_vertices_in_their_order) {
  Random random(1);
  LocalGraph whole;
  InducedPart part;
  for (const Node n : kSizesOfEveryWidth) {
    const Matrix adjacent = random_matrix(n, 0.5, random);
    const Nodes weights = random_weights(n, 4, random);
    fill(whole, adjacent, weights);
    const Nodes vertices = random_vertices(n, random);
    part.extract(whole, vertices, false);
    const BitGraph& graph = part.graph();
    CHECK(graph.size == static_cast<Node>(vertices.size()));
    for (Node i = 0; i < graph.size; ++i) {
      CHECK(graph.weight[idx(i)] == weights[idx(vertices[idx(i)]) - 1]);
      for (Node j = 0; j < graph.size; ++j)
        CHECK(test_bit(graph.row(i), j) == adjacent[idx(vertices[idx(i)]) - 1][idx(vertices[idx(j)]) - 1]);
    }
    CHECK(nodes_of(part.in_whole(all_nodes(graph.size))) == vertices);
  }
}

TEST(a_part_as_twins_has_each_vertex_as_often_as_it_weighs) {
  Random random(2);
  LocalGraph whole;
  InducedPart part;
  for (const Node n : kSizesOfEveryWidth) {
    const Matrix adjacent = random_matrix(n, 0.5, random);
    const Nodes weights = random_weights(n, 3, random);
    fill(whole, adjacent, weights);
    const Nodes vertices = random_vertices(n, random);
    part.extract(whole, vertices, true);
    Nodes original;
    for (const Node v : vertices) original.insert(original.end(), idx(weights[idx(v) - 1]), v - 1);
    const BitGraph& graph = part.graph();
    CHECK(graph.size == static_cast<Node>(original.size()));
    for (Node i = 0; i < graph.size; ++i) {
      CHECK(graph.weight[idx(i)] == 1);
      for (Node j = 0; j < graph.size; ++j) {
        const Node u = original[idx(i)];
        const Node v = original[idx(j)];
        CHECK(test_bit(graph.row(i), j) == (i != j && (u == v || adjacent[idx(u)][idx(v)])));
      }
    }
    CHECK(nodes_of(part.in_whole(all_nodes(graph.size))) == vertices);
  }
}
