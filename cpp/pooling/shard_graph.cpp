#include "pooling/shard_graph.hpp"

#include <algorithm>
#include <functional>

#include "base/bitset.hpp"

namespace cliquepool {

namespace {

class ShardCutter {
 public:
  ShardCutter(const OrientedView& graph, std::span<const Node> owner, Node shard, Budget& budget)
      : graph_(graph),
        owner_(owner),
        shard_(shard),
        budget_(budget),
        pace_(budget),
        included_(budget, idx(graph.num_vertices()), 0),
        marked_(budget, idx(graph.num_vertices()), 0),
        closing_(budget, graph.later.size() / kWordBits + 1, 0) {}

  Shard cut() {
    for (Node v = 0; v < graph_.num_vertices(); ++v) {
      pace_.step();
      if (is_own(v)) include(v);
    }
    number_vertices();
    Shard shard;
    resize_result(shard.ranks, ranks_.size(), budget_);
    std::copy(ranks_.begin(), ranks_.end(), shard.ranks.begin());
    append_lists(shard);
    return shard;
  }

 private:
  bool is_own(Node v) const { return owner_[idx(v)] == shard_; }

  // Includes v, its later neighbours, and the edges between them.
  void include(Node v) {
    const auto neighbours = graph_[v];
    included_[idx(v)] = 1;
    for (const Node u : neighbours) included_[idx(u)] = marked_[idx(u)] = 1;
    for (const Node u : neighbours) {
      if (is_own(u)) continue;  // has its whole list anyway
      auto position = idx(graph_.offsets[idx(u)]);
      for (const Node x : graph_[u]) {
        if (marked_[idx(x)]) closing_[position / kWordBits] |= Word{1} << (position % kWordBits);
        ++position;
      }
      pace_.step(graph_[u].size());
    }
    for (const Node u : neighbours) marked_[idx(u)] = 0;
    pace_.step(neighbours.size());
  }

  void number_vertices() {
    local_.resize(included_.size());
    for (Node v = 0; v < graph_.num_vertices(); ++v) {
      pace_.step();
      if (!included_[idx(v)]) continue;
      local_[idx(v)] = static_cast<Node>(ranks_.size());
      ranks_.push_back(v);
    }
  }

  void append_lists(Shard& shard) {
    ChargedBuffer<Node> own(budget_), later(budget_);
    ChargedBuffer<Offset> offsets(budget_, 1, 0);
    for (const Node v : ranks_.span()) {
      const std::size_t begin = later.size();
      auto position = idx(graph_.offsets[idx(v)]);
      for (const Node u : graph_[v]) {
        if (is_own(v) || (closing_[position / kWordBits] >> (position % kWordBits) & 1))
          later.push_back(local_[idx(u)]);
        ++position;
      }
      std::sort(later.begin() + begin, later.end(), std::greater<>());
      offsets.push_back(static_cast<Offset>(later.size()));
      (is_own(v) ? shard.own_edges : shard.halo_edges) += static_cast<Offset>(later.size() - begin);
      if (is_own(v)) own.push_back(local_[idx(v)]);
      pace_.step(1 + graph_[v].size());
    }
    shard.own = own.take();
    shard.later = later.take();
    shard.offsets = offsets.take();
  }

  OrientedView graph_;
  std::span<const Node> owner_;
  Node shard_;
  Budget& budget_;
  Pace pace_;
  ChargedBuffer<unsigned char> included_;
  ChargedBuffer<unsigned char> marked_;  // the later neighbours of the vertex at hand
  ChargedBuffer<Word> closing_;          // by position in `graph_.later`: an edge that closes a triangle
  ChargedBuffer<Node> local_{budget_};   // the vertex of the shard of each included vertex
  ChargedBuffer<Node> ranks_{budget_};
};

}  // namespace

Buffer<Node> count_closing_edges(const OrientedView& graph, Budget& budget) {
  Pace pace(budget);
  ChargedBuffer<unsigned char> marked(budget, idx(graph.num_vertices()), 0);
  Buffer<Node> counts;
  resize_result(counts, graph.later.size(), budget);
  Node* count = counts.data();
  for (Node v = 0; v < graph.num_vertices(); ++v) {
    for (const Node u : graph[v]) marked[idx(u)] = 1;
    for (const Node u : graph[v]) {
      Node common = 0;
      for (const Node x : graph[u]) common += marked[idx(x)];
      *count++ = common;
      pace.step(graph[u].size() + 1);
    }
    for (const Node u : graph[v]) marked[idx(u)] = 0;
  }
  return counts;
}

Shard cut_shard(const OrientedView& graph, std::span<const Node> owner, Node shard, Budget& budget) {
  return ShardCutter(graph, owner, shard, budget).cut();
}

}  // namespace cliquepool
