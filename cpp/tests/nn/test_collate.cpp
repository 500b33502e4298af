#include "nn/collate.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using naive::Lists;
using naive::Nodes;
using naive::Random;
using naive::random_between;

namespace {

using Offsets = std::vector<Offset>;

// Graphs of a few lists over a few targets each; some of them of none.
struct Parts {
  Offsets list_start{0};
  Offsets target_start{0};
  std::vector<Lists> of_graph;
  Ragged flat;
};

Parts random_parts(Random& random) {
  Parts parts;
  const Node graphs = random_between(1, 6, random);
  for (Node graph = 0; graph < graphs; ++graph) {
    const Node targets = random_between(0, 5, random);
    Lists lists(idx(random_between(0, 4, random)));
    for (Nodes& list : lists) {
      if (targets > 0) list.resize(idx(random_between(0, 4, random)));
      for (Node& member : list) member = random_between(0, targets - 1, random);
      parts.flat.append(list);
    }
    parts.list_start.push_back(parts.list_start.back() + static_cast<Offset>(lists.size()));
    parts.target_start.push_back(parts.target_start.back() + targets);
    parts.of_graph.push_back(lists);
  }
  return parts;
}

// Any graphs, in any order, some of them several times.
Offsets random_choice(const Parts& parts, Random& random) {
  Offsets chosen(idx(random_between(0, 9, random)));
  for (Offset& graph : chosen) graph = random_between(0, static_cast<Node>(parts.of_graph.size()) - 1, random);
  return chosen;
}

}  // namespace

TEST(collated_arrays_are_those_of_the_chosen_graphs_with_shifted_ids) {
  Random random(1);
  for (int i = 0; i < 300; ++i) {
    const Parts parts = random_parts(random);
    const Offsets chosen = random_choice(parts, random);
    Lists expected;
    std::vector<float> expected_values;
    Node base = 0;
    for (const Offset graph : chosen) {
      for (Nodes list : parts.of_graph[idx(graph)]) {
        for (Node& member : list) member += base;
        expected.push_back(list);
      }
      for (Offset t = parts.target_start[idx(graph)]; t < parts.target_start[idx(graph) + 1]; ++t)
        expected_values.push_back(static_cast<float>(t));
      base += static_cast<Node>(parts.target_start[idx(graph) + 1] - parts.target_start[idx(graph)]);
    }
    std::vector<float> values;
    for (Offset t = 0; t < parts.target_start.back(); ++t) values.push_back(static_cast<float>(t));
    const std::span<const Offset> starts[] = {parts.target_start, parts.list_start};
    const FlatLists lists[] = {{parts.list_start, parts.flat.view(), parts.target_start},
                               {parts.list_start, parts.flat.view(), parts.target_start}};
    const FlatValues flat_values[] = {{parts.target_start, values}};
    CollatedArrays gathered;
    collate(starts, lists, flat_values, chosen, gathered);
    CHECK(gathered.offsets.sizes.size() == 4);
    CHECK(gathered.members.sizes.size() == 2);
    CHECK(std::vector<float>(gathered.values.all.begin(), gathered.values.all.end()) == expected_values);
    const std::size_t graphs = chosen.size() + 1;
    for (std::size_t s = 0; s < 2; ++s) {
      const Buffer<Offset> alone = gather_starts(starts[s], chosen);
      CHECK(std::equal(alone.begin(), alone.end(), gathered.offsets.all.begin() + s * graphs));
    }
    bool right = true;
    const Offset* offsets = gathered.offsets.all.data() + 2 * graphs;
    const Node* members = gathered.members.all.data();
    for (std::size_t k = 0; k < 2; ++k) {
      right &= gathered.offsets.sizes[2 + k] == static_cast<Offset>(expected.size()) + 1;
      for (std::size_t l = 0; l < expected.size(); ++l)
        right &= Nodes(members + offsets[l], members + offsets[l + 1]) == expected[l];
      right &= gathered.members.sizes[k] == offsets[expected.size()];
      offsets += gathered.offsets.sizes[2 + k];
      members += gathered.members.sizes[k];
    }
    CHECK(right);
  }
}

TEST(gathered_starts_are_the_sizes_of_the_chosen_graphs_summed_up) {
  Random random(2);
  for (int i = 0; i < 100; ++i) {
    const Parts parts = random_parts(random);
    const Offsets chosen = random_choice(parts, random);
    const Buffer<Offset> gathered = gather_starts(parts.target_start, chosen);
    CHECK(gathered.size() == chosen.size() + 1);
    CHECK(gathered[0] == 0);
    bool right = true;
    for (std::size_t k = 0; k < chosen.size(); ++k)
      right &=
          gathered[k + 1] - gathered[k] == parts.target_start[idx(chosen[k]) + 1] - parts.target_start[idx(chosen[k])];
    CHECK(right);
  }
}

TEST(gathered_rows_are_those_of_the_chosen_graphs) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Parts parts = random_parts(random);
    const Offsets chosen = random_choice(parts, random);
    const std::size_t width = idx(random_between(1, 9, random));
    std::vector<std::byte> rows(idx(parts.target_start.back()) * width);
    for (std::byte& value : rows) value = static_cast<std::byte>(random_between(0, 255, random));
    std::vector<std::byte> expected;
    for (const Offset graph : chosen) {
      const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(idx(parts.target_start[idx(graph)]) * width);
      const auto end = rows.begin() + static_cast<std::ptrdiff_t>(idx(parts.target_start[idx(graph) + 1]) * width);
      expected.insert(expected.end(), begin, end);
    }
    std::vector<std::byte> gathered(expected.size());
    gather_rows(parts.target_start, rows, width, chosen, gathered);
    CHECK(gathered == expected);
  }
}
