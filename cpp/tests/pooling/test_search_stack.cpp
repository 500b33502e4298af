#include "pooling/search_stack.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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

// Lists all cliques of `size` vertices, without bounds, and makes searches of their own of some branches.
TEST(branches_taken_away_and_those_left_make_the_whole_search) {
  Random random(3);
  SearchStack stack;
  for (const Node n : {20, 64, 70, 130, 270}) {
    const Matrix adjacent = random_matrix(n, n < 100 ? 0.4 : 0.1, random);
    const BitGraph graph = bit_graph(adjacent, ones(n));
    const Node size = 4;
    Lists expected;
    for (Node a = 0; a < n; ++a)
      for (Node b = a + 1; b < n; ++b)
        for (Node c = b + 1; adjacent[idx(a)][idx(b)] && c < n; ++c)
          for (Node d = c + 1; adjacent[idx(a)][idx(c)] && adjacent[idx(b)][idx(c)] && d < n; ++d)
            if (adjacent[idx(a)][idx(d)] && adjacent[idx(b)][idx(d)] && adjacent[idx(c)][idx(d)])
              expected.push_back({a, b, c, d});

    Lists found;
    std::size_t taken = 0;
    with_width(graph, [&](auto width) {
      std::vector<SearchBranch> to_search(1);
      for (const Word word : set_of(all_nodes(n), graph.words)) to_search[0].candidates.push_back(word);
      to_search[0].need = size;
      while (!to_search.empty()) {
        const SearchBranch start = std::move(to_search.back());
        to_search.pop_back();
        stack.begin(width, start.candidates.data(), start.need, start.chosen.span());
        width.copy(stack.branches(), stack.candidates());
        while (!stack.empty()) {
          if (stack.need() == 0) {
            found.push_back(nodes_of(stack.chosen().span()));
            std::sort(found.back().begin(), found.back().end());
            stack.pop();
            continue;
          }
          SearchBranch branch;
          if (random_between(0, 9, random) == 0 &&
              stack.take_lowest_branch(width, graph, [](Node) { return 1; }, branch)) {
            to_search.push_back(std::move(branch));
            ++taken;
          }
          const Node v = width.first(stack.branches());
          if (v < 0) {
            stack.pop();
            continue;
          }
          stack.push(width, v, graph.row(v), 1);
          width.copy(stack.branches(), stack.candidates());
          if (stack.need() == 0) width.clear(stack.branches());
        }
      }
    });
    CHECK(taken > 10);
    std::sort(found.begin(), found.end());
    CHECK(found == expected);
  }
}

TEST(a_branch_taken_away_has_what_was_chosen_before_it_at_its_depth) {
  const BitGraph graph = bit_graph(complete(6), ones(6));
  SearchStack stack;
  const Width<1> width(1);
  const Word all = 0b111111;
  const auto two = [](Node) { return 2; };
  stack.begin(width, &all, 9);
  SearchBranch branch;
  width.clear(stack.branches());
  CHECK(!stack.take_lowest_branch(width, graph, two, branch));
  stack.chosen().push_back(5);  // forced
  stack.branches()[0] = 0b000111;
  stack.push(width, 0, graph.row(0), 1);
  stack.chosen().push_back(4);
  stack.branches()[0] = 0b001000;
  CHECK(stack.take_lowest_branch(width, graph, two, branch));
  CHECK(nodes_of(branch.chosen.span()) == Nodes{5, 1});
  CHECK(members_of(branch.candidates.data(), 1) == Nodes{2, 3, 4, 5});
  CHECK(branch.need == 7);
  CHECK(stack.take_lowest_branch(width, graph, two, branch));
  CHECK(nodes_of(branch.chosen.span()) == Nodes{5, 2});
  CHECK(members_of(branch.candidates.data(), 1) == Nodes{3, 4, 5});
  // The lowest depth has no more.
  CHECK(stack.take_lowest_branch(width, graph, two, branch));
  CHECK(nodes_of(branch.chosen.span()) == Nodes{5, 0, 4, 3});
  CHECK(members_of(branch.candidates.data(), 1) == Nodes{1, 2, 4, 5});
  CHECK(branch.need == 6);
  CHECK(!stack.take_lowest_branch(width, graph, two, branch));
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
