#include "pooling/search_stack.hpp"

#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"

using namespace cliquepool;
using namespace naive;

TEST(a_popped_depth_leaves_the_one_above_without_the_vertex_tried) {
  Random random(1);
  SearchStack stack;
  for (const Node n : {5, 64, 65, 200, 300}) {
    const Matrix adjacent = random_matrix(n, 0.8, random);
    const BitGraph graph = bit_graph(adjacent, ones(n));
    const std::vector<Word> all = set_of(all_nodes(n), graph.words);
    with_width(graph, [&](auto width) {
      stack.begin(width, all.data(), n);
      CHECK(!stack.empty());
      CHECK(members_of(stack.candidates(), graph.words) == all_nodes(n));
      CHECK(stack.need() == n);
      CHECK(!stack.revisit());
      // Down along the first candidates, then back up.
      Nodes path;
      std::vector<Nodes> expected{all_nodes(n)};
      while (!width.empty(stack.candidates())) {
        width.copy(stack.branches(), stack.candidates());
        const Node v = width.first(stack.branches());
        stack.set_revisit(true);
        stack.push(width, v, graph.row(v), 2);
        path.push_back(v);
        CHECK(!stack.revisit());
        CHECK(stack.need() == n - 2 * static_cast<Node>(path.size()));
        CHECK(nodes_of(stack.chosen().span()) == path);
        Nodes common;
        for (const Node u : expected.back())
          if (adjacent[idx(v)][idx(u)]) common.push_back(u);
        expected.back().erase(expected.back().begin());
        expected.push_back(common);
        CHECK(members_of(stack.candidates(), graph.words) == common);
      }
      stack.chosen().push_back(n);  // forced at the last depth
      while (!path.empty()) {
        stack.pop();
        path.pop_back();
        expected.pop_back();
        CHECK(nodes_of(stack.chosen().span()) == path);
        CHECK(members_of(stack.candidates(), graph.words) == expected.back());
        CHECK(members_of(stack.branches(), graph.words) == expected.back());
        CHECK(stack.revisit());
      }
      stack.pop();
      CHECK(stack.empty());
    });
  }
}

TEST(need_can_be_changed_at_each_depth) {
  SearchStack stack;
  const Width<1> width(1);
  const Word all = 0b111;
  stack.begin(width, &all, 3);
  stack.set_need(2);
  *stack.branches() = all;
  stack.push(width, 0, &all, 1);
  CHECK(stack.need() == 1);
  stack.set_need(0);
  stack.pop();
  CHECK(stack.need() == 2);
}
