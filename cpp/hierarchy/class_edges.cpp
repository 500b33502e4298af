#include "hierarchy/class_edges.hpp"

#include <algorithm>
#include <cstddef>

namespace cliquepool {

void ClassEdges::build(GraphView graph, const PoolTrie& trie, std::span<const Node> representatives, Budget& budget,
                       TwinLevel& coarse) {
  Pace pace(budget);
  list_touching(graph.num_nodes(), trie, representatives, coarse.classes.span(), pace);
  collect_rows(graph, trie, representatives, coarse.classes.span(), budget);
  sort_rows(budget, coarse.quotient);
}

// Lists, for every vertex, the classes whose representatives contain it.
void ClassEdges::list_touching(Node num_vertices, const PoolTrie& trie, std::span<const Node> representatives,
                               std::span<const Node> classes, Pace& pace) {
  touching_start_.assign(idx(num_vertices) + 1, 0);
  for (const Node slot : representatives) {
    trie.for_each_member(slot, [&](Node v) {
      ++touching_start_[idx(v) + 1];
      pace.step();
    });
  }
  for (std::size_t v = 0; v < idx(num_vertices); ++v) touching_start_[v + 1] += touching_start_[v];
  touching_.resize(idx(touching_start_.back()));
  next_.resize(touching_start_.size());
  std::copy(touching_start_.begin(), touching_start_.end(), next_.begin());
  for (const Node slot : representatives) {
    const Node c = classes[idx(trie.pool(slot))];
    trie.for_each_member(slot, [&](Node v) {
      touching_[idx(next_[idx(v)]++)] = c;
      pace.step();
    });
  }
}

// Collects the neighbours of each class along the trie.
void ClassEdges::collect_rows(GraphView graph, const PoolTrie& trie, std::span<const Node> representatives,
                              std::span<const Node> classes, Budget& budget) {
  struct Extent {
    std::size_t covered;
    std::size_t reached;
  };
  Pace pace(budget);
  covered_.reset(idx(graph.num_nodes()));
  reached_.reset(representatives.size());
  row_start_.resize(representatives.size());
  row_size_.resize(representatives.size());
  rows_.clear();
  ChargedBuffer<Extent> before(budget);  // of each shorter prefix of the current path
  const auto cover = [&](Node v) {
    if (!covered_.insert(v)) return;
    const Offset end = touching_start_[idx(v) + 1];
    for (Offset i = touching_start_[idx(v)]; i < end; ++i) reached_.insert(touching_[idx(i)]);
    pace.step(idx(end - touching_start_[idx(v)]));
  };
  trie.walk(
      representatives,
      [&](Node v) {
        before.push_back({covered_.size(), reached_.size()});
        cover(v);
        for (const Node u : graph[v]) cover(u);
        pace.step(idx(graph.degree(v)));
      },
      [&] {
        covered_.truncate(before.back().covered);
        reached_.truncate(before.back().reached);
        before.pop_back();
      },
      [&](Node slot) {
        const Node c = classes[idx(trie.pool(slot))];
        row_start_[idx(c)] = static_cast<Offset>(rows_.size());
        row_size_[idx(c)] = static_cast<Node>(reached_.size()) - 1;
        for (const Node d : reached_.members())
          if (d != c) rows_.push_back(d);
        pace.step(reached_.size());
      });
}

// Transposes the rows. The adjacency matrix is symmetric, so these are the same rows, now ascending.
void ClassEdges::sort_rows(Budget& budget, Graph& quotient) {
  Pace pace(budget);
  const std::size_t num_classes = row_size_.size();
  resize_result(quotient.offsets, num_classes + 1, budget);
  resize_result(quotient.neighbours, rows_.size(), budget);
  quotient.offsets[0] = 0;
  next_.resize(num_classes);
  for (std::size_t c = 0; c < num_classes; ++c) {
    next_[c] = quotient.offsets[c];
    quotient.offsets[c + 1] = quotient.offsets[c] + row_size_[c];
  }
  for (std::size_t c = 0; c < num_classes; ++c) {
    for (Node i = 0; i < row_size_[c]; ++i)
      quotient.neighbours[idx(next_[idx(rows_[idx(row_start_[c] + i)])]++)] = static_cast<Node>(c);
    pace.step(idx(row_size_[c]));
  }
}

}  // namespace cliquepool
