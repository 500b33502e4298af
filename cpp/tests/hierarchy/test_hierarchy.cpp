#include "hierarchy/hierarchy.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// A hierarchy with everything by nodes and pools, no classes.
struct PlainLevel {
  Lists pools;
  Matrix coarse;
};
using PlainHierarchy = std::vector<PlainLevel>;

PlainHierarchy expand_levels(const TwinLevel& bottom, const std::vector<HierarchyLevel>& levels) {
  PlainHierarchy plain;
  Budget budget;
  const TwinLevel* below = &bottom;
  for (const HierarchyLevel& level : levels) {
    const Ragged pools = expand_members(level.pools.view(), below->classes.span(), below->sizes.span(), budget);
    const TwinLevel& coarse = level.coarse;
    CHECK(idx(pools.size()) == coarse.classes.size());
    const Graph graph = expand(coarse.classes.span(), coarse.sizes.span(), coarse.quotient.view(), budget);
    plain.push_back({lists_of(pools.view()), matrix_of(graph.view())});
    below = &coarse;
  }
  return plain;
}
PlainHierarchy hierarchy_of(const Matrix& adjacent, int levels = kUntilConverged, unsigned threads = 1) {
  const Graph graph = graph_of(adjacent);
  Budget budget;
  TwinLevel twins;
  TwinFinder().run(graph.view(), budget, twins);
  return expand_levels(
      twins, HierarchyBuilder().run({twins.quotient_or(graph.view()), twins.sizes.span()}, levels, threads, budget));
}

// How many nodes there are at the bottom and at each level.
Nodes counts(const Matrix& adjacent, int levels = kUntilConverged) {
  Nodes sizes{size_of(adjacent)};
  for (const PlainLevel& level : hierarchy_of(adjacent, levels)) sizes.push_back(static_cast<Node>(level.pools.size()));
  return sizes;
}

// Pixels joined to their eight neighbours.
Matrix grid(Node height, Node width) {
  return matrix(height * width, [&](Node u, Node v) {
    return std::abs(u / width - v / width) <= 1 && std::abs(u % width - v % width) <= 1;
  });
}
// The windows of rows x columns pixels of a grid, at every place, from the top left.
Lists windows(Node height, Node width, Node rows, Node columns) {
  Lists all;
  for (Node top = 0; top + rows <= height; ++top) {
    for (Node left = 0; left + columns <= width; ++left) {
      Nodes& window = all.emplace_back();
      for (Node y = top; y < top + rows; ++y)
        for (Node x = left; x < left + columns; ++x) window.push_back(y * width + x);
    }
  }
  return all;
}

Matrix petersen() {
  return matrix(10, [](Node u, Node v) {
    if (v < 5) return v == u + 1 || (u == 0 && v == 4);
    if (u >= 5) return v - u == 2 || v - u == 3;
    return v == u + 5;
  });
}

// Graphs end to end, as build_hierarchies takes them.
struct Batch {
  Buffer<Offset> node_start{1, 0};
  Buffer<Offset> offsets{1, 0};
  Buffer<Node> neighbours;

  void add(const Matrix& adjacent) {
    const Graph graph = graph_of(adjacent);
    const Offset base = static_cast<Offset>(neighbours.size());
    for (std::size_t v = 1; v < graph.offsets.size(); ++v) offsets.push_back(base + graph.offsets[v]);
    neighbours.append(graph.neighbours.span());
    node_start.push_back(static_cast<Offset>(offsets.size()) - 1);
  }
  FlatHierarchies build(int levels, unsigned threads, Parts parts = Parts::all) const {
    Budget budget;
    const EndToEnd batch(node_start.span(), offsets.span(), neighbours.span());
    return build_hierarchies(batch.graphs(), levels, parts, threads, budget);
  }
};

std::vector<Matrix> mixed_graphs(int count, Random& random) {
  std::vector<Matrix> graphs;
  for (int i = 0; i < count; ++i) {
    switch (i % 7) {
      case 0:
        graphs.emplace_back();
        break;
      case 1:
        graphs.push_back(complete(1));
        break;
      case 2:
        graphs.push_back(path(random_between(2, 40, random)));
        break;
      case 3:
        graphs.push_back(grid(random_between(1, 6, random), random_between(1, 12, random)));
        break;
      case 4:
        graphs.push_back(matrix(random_between(1, 5, random), [](Node, Node) { return false; }));
        break;
      case 5:
        graphs.push_back(random_matrix(random_between(2, 15, random), 0.4, random));
        break;
      default:
        graphs.push_back(random_matrix(random_between(60, 90, random), 0.03, random));
        break;
    }
  }
  return graphs;
}

template <typename T>
std::span<const T> part(const Buffer<T>& values, const Buffer<Offset>& start, std::size_t graph) {
  return values.span().subspan(idx(start[graph]), idx(start[graph + 1] - start[graph]));
}

// The quotients stand end to end with one list of neighbours for each class.
void check_twins(const FlatTwins& flat, std::size_t graph, std::span<const Node> sizes, GraphView quotient) {
  CHECK(check::equal(part(flat.sizes, flat.class_start, graph), sizes));
  const Offset first = flat.class_start[graph];
  CHECK(flat.class_start[graph + 1] - first == quotient.num_nodes());
  for (Node c = 0; c < quotient.num_nodes(); ++c) {
    const Offset begin = flat.offsets[idx(first + c)];
    const Offset end = flat.offsets[idx(first + c) + 1];
    CHECK(check::equal(flat.neighbours.span().subspan(idx(begin), idx(end - begin)), quotient[c]));
  }
}

void check_batch(const FlatHierarchies& flat, const std::vector<Matrix>& graphs, int levels) {
  CHECK(flat.depth.size() == graphs.size());
  CHECK(flat.bottom.has_value());
  CHECK(flat.bottom->class_start.size() == graphs.size() + 1);
  Node deepest = 0;
  Offset node = 0;
  HierarchyBuilder builder;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const Graph graph = graph_of(graphs[g]);
    Budget budget;
    TwinLevel twins;
    TwinFinder().run(graph.view(), budget, twins);
    const GraphView quotient = twins.quotient_or(graph.view());
    check_twins(*flat.bottom, g, twins.sizes.span(), quotient);
    CHECK(check::equal(flat.bottom->classes.span().subspan(idx(node), twins.classes.size()), twins.classes.span()));
    node += graph.view().num_nodes();

    const auto expected = builder.run({quotient, twins.sizes.span()}, levels, 1, budget);
    CHECK(idx(flat.depth[g]) == expected.size());
    deepest = std::max(deepest, flat.depth[g]);
    for (std::size_t i = 0; i < flat.levels.size(); ++i) {
      const FlatLevel& level = flat.levels[i];
      CHECK(level.pool_start.size() == graphs.size() + 1);
      CHECK(level.coarse.has_value());
      CHECK(level.coarse->class_start.size() == graphs.size() + 1);
      const Offset first = level.pool_start[g];
      const Offset count = level.pool_start[g + 1] - first;
      if (i >= expected.size()) {
        CHECK(count == 0);
        CHECK(level.coarse->class_start[g] == level.coarse->class_start[g + 1]);
        continue;
      }
      CHECK(count == expected[i].pools.size());
      for (Offset p = 0; p < count; ++p) CHECK(check::equal(level.pools[first + p], expected[i].pools[p]));
      const TwinLevel& coarse = expected[i].coarse;
      CHECK(check::equal(level.coarse->classes.span().subspan(idx(first), idx(count)), coarse.classes.span()));
      check_twins(*level.coarse, g, coarse.sizes.span(), coarse.quotient.view());
    }
  }
  CHECK(flat.levels.size() == idx(deepest));
  CHECK(idx(node) == flat.bottom->classes.size());
}

bool same(const FlatTwins& a, const FlatTwins& b) {
  return check::equal(a.classes.span(), b.classes.span()) && check::equal(a.class_start.span(), b.class_start.span()) &&
         check::equal(a.sizes.span(), b.sizes.span()) && check::equal(a.offsets.span(), b.offsets.span()) &&
         check::equal(a.neighbours.span(), b.neighbours.span());
}
// The pools are the same, and the twins where both have them.
bool same(const FlatHierarchies& a, const FlatHierarchies& b) {
  if (a.bottom && b.bottom && !same(*a.bottom, *b.bottom)) return false;
  if (!check::equal(a.depth.span(), b.depth.span()) || a.levels.size() != b.levels.size()) return false;
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    if (!check::equal(a.levels[i].pool_start.span(), b.levels[i].pool_start.span()) ||
        !check::equal(a.levels[i].pools.offsets.span(), b.levels[i].pools.offsets.span()) ||
        !check::equal(a.levels[i].pools.members.span(), b.levels[i].pools.members.span()) ||
        (a.levels[i].coarse && b.levels[i].coarse && !same(*a.levels[i].coarse, *b.levels[i].coarse)))
      return false;
  }
  return true;
}

}  // namespace

TEST(first_figure_of_the_paper) {
  enum : Node { A, B, C, D, E, F, G, H, I, J };
  const Matrix adjacent = matrix_of(10, {{A, B},
                                         {A, C},
                                         {B, C},
                                         {A, I},
                                         {B, D},
                                         {D, E},
                                         {D, F},
                                         {D, G},
                                         {E, F},
                                         {E, G},
                                         {F, G},
                                         {F, H},
                                         {C, H},
                                         {H, J},
                                         {C, J}});
  const PlainHierarchy levels = hierarchy_of(adjacent);
  CHECK(levels.size() == 3);
  CHECK(levels[0].pools == Lists{{D, E, F, G}, {A, B, C}, {C, H, J}, {I}});
  CHECK(levels[0].coarse == matrix_of(4, {{0, 1}, {0, 2}, {1, 2}, {1, 3}}));
  CHECK(levels[1].pools == Lists{{0, 1, 2}, {3}});
  CHECK(levels[1].coarse == matrix_of(2, {{0, 1}}));
  CHECK(levels[2].pools == Lists{{0, 1}});
  CHECK(counts(adjacent) == Nodes{10, 4, 2, 1});
}

TEST(pools_are_ranked_by_unassigned_nodes_not_by_original_size) {
  const Matrix adjacent =
      matrix_of(9, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}, {3, 4}, {3, 5}, {4, 5}, {5, 6}, {5, 7}, {6, 7}});
  CHECK(hierarchy_of(adjacent, 1)[0].pools == Lists{{0, 1, 2, 3}, {5, 6, 7}, {4}, {8}});
}

TEST(path_loses_twice_as_many_nodes_with_every_level) {
  CHECK(counts(path(16)) == Nodes{16, 15, 13, 9, 1});
  CHECK(counts(path(100)) == Nodes{100, 99, 97, 93, 85, 69, 37, 1});
  Node length = 16;
  Node k = 2;
  for (const PlainLevel& level : hierarchy_of(path(16))) {
    CHECK(level.pools == windows(1, length, 1, k));
    length -= k - 1;
    k = 2 * k - 1;
  }
}

TEST(pools_of_a_grid_are_windows_of_stride_one) {
  CHECK(counts(grid(8, 8)) == Nodes{64, 49, 25, 1});
  for (const auto& [height, width] : {std::pair<Node, Node>{8, 8}, {12, 9}, {17, 17}}) {
    const PlainHierarchy levels = hierarchy_of(grid(height, width), 3);
    Node rows = height;
    Node columns = width;
    Node k = 2;
    for (const PlainLevel& level : levels) {
      if (rows < k || columns < k) break;
      CHECK(level.pools == windows(rows, columns, k, k));
      rows -= k - 1;
      columns -= k - 1;
      k = 2 * k - 1;
    }
  }
}

TEST(petersen_graph_grows_then_collapses) {
  CHECK(counts(petersen()) == Nodes{10, 15, 243, 1});
  CHECK(counts(matrix(10, [](Node u, Node v) { return u < 5 && v >= 5; })) == Nodes{10, 25, 1});
}

TEST(levels_are_those_of_pooling_the_naive_coarse_graph_again) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Node n = random_between(0, 14, random);
    Matrix adjacent = random_matrix(n, random_density(0.1, 0.7, random), random);
    if (i % 3 == 0) adjacent = with_twins(adjacent, random_weights(n, 3, random), random);
    const PlainHierarchy levels = hierarchy_of(adjacent, 4, i % 2 == 0 ? 1 : 2);
    CHECK(levels.size() == 4);
    for (const PlainLevel& level : levels) {
      if (adjacent.size() > 70) break;  // the naive way takes too long
      CHECK(level.pools == pools_by_search(adjacent, ones(size_of(adjacent))));
      CHECK(level.coarse == coarse_matrix(adjacent, level.pools));
      adjacent = level.coarse;
    }
  }
}

TEST(hierarchy_converges_to_one_node_for_each_component) {
  Random random(2);
  for (int i = 0; i < 150; ++i) {
    const Node n = random_between(1, i % 3 == 0 ? 80 : 20, random);
    const Matrix adjacent = random_matrix(n, std::min(1.0, random_density(0.5, 3.0, random) / n), random);
    const PlainHierarchy levels = hierarchy_of(adjacent);
    const Matrix& last = levels.empty() ? adjacent : levels.back().coarse;
    CHECK(graph_of(last).neighbours.empty());
    CHECK(size_of(last) == count_components(adjacent));
    for (std::size_t l = 0; l + 1 < levels.size(); ++l) CHECK(!graph_of(levels[l].coarse).neighbours.empty());
  }
}

TEST(converged_graphs_have_no_levels_unless_asked_for) {
  CHECK(hierarchy_of({}).empty());
  CHECK(hierarchy_of(complete(1)).empty());
  CHECK(hierarchy_of(matrix(4, [](Node, Node) { return false; })).empty());
  CHECK(hierarchy_of(complete(7)).size() == 1);
  CHECK(hierarchy_of(complete(7), 0).empty());
  CHECK(counts(complete(3), 3) == Nodes{3, 1, 1, 1});
  CHECK(counts({}, 2) == Nodes{0, 0, 0});
}

TEST(hierarchy_tells_each_level_before_it_is_made) {
  const Graph graph = graph_of(path(16));
  const Nodes sizes = ones(16);
  std::vector<int> told;
  Nodes below;
  Budget budget;
  const auto levels =
      HierarchyBuilder().run({graph.view(), sizes}, kUntilConverged, 1, budget, [&](int level, const LevelRows& rows) {
        told.push_back(level);
        below.push_back(rows.num_nodes());
      });
  CHECK(levels.size() == 4);
  CHECK(told == std::vector<int>{1, 2, 3, 4});
  CHECK(below.front() == 16);
  for (const HierarchyLevel& level : levels) CHECK(level.seconds >= 0);
}

TEST(batch_of_hierarchies_is_one_by_one_for_any_number_of_threads) {
  Random random(3);
  const std::vector<Matrix> graphs = mixed_graphs(150, random);
  Batch batch;
  for (const Matrix& adjacent : graphs) batch.add(adjacent);
  for (const int levels : {0, 1, 2, kUntilConverged}) {
    const FlatHierarchies alone = batch.build(levels, 1);
    check_batch(alone, graphs, levels);
    for (const unsigned threads : {0U, 2U, 4U}) CHECK(same(batch.build(levels, threads), alone));
  }
}

TEST(batch_leaves_out_what_is_not_wanted) {
  Random random(5);
  const std::vector<Matrix> graphs = mixed_graphs(100, random);
  Batch batch;
  for (const Matrix& adjacent : graphs) batch.add(adjacent);
  for (const int levels : {0, 1, 3, kUntilConverged}) {
    const FlatHierarchies all = batch.build(levels, 1);
    for (const unsigned threads : {1U, 2U}) {
      const FlatHierarchies flat = batch.build(levels, threads, Parts::pools);
      CHECK(same(flat, all));
      CHECK(!flat.bottom.has_value());
      for (std::size_t i = 0; i < flat.levels.size(); ++i)
        CHECK(flat.levels[i].coarse.has_value() == (static_cast<int>(i) + 1 != levels));
    }
  }
}

TEST(batches_of_few_graphs_and_of_none) {
  Random random(4);
  for (const int count : {0, 1, 2, 7, 31, 32, 33, 64, 65}) {
    const std::vector<Matrix> graphs = mixed_graphs(count, random);
    Batch batch;
    for (const Matrix& adjacent : graphs) batch.add(adjacent);
    for (const unsigned threads : {1U, 2U}) check_batch(batch.build(kUntilConverged, threads), graphs, kUntilConverged);
  }
}

// The first chunk of 32 graphs is shallow, the next one deep, and the other way round.
TEST(batch_joins_chunks_of_unequal_depth) {
  for (const bool deep_first : {false, true}) {
    std::vector<Matrix> graphs;
    Batch batch;
    for (int i = 0; i < 96; ++i) {
      const bool deep = (i / 32 == 1) != deep_first;
      graphs.push_back(deep ? path(20 + i % 5) : i % 2 == 0 ? Matrix() : complete(2));
      batch.add(graphs.back());
    }
    for (const unsigned threads : {1U, 2U, 4U})
      check_batch(batch.build(kUntilConverged, threads), graphs, kUntilConverged);
  }
}
