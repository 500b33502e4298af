// A graph, oriented by the order of its ids, whose vertices belong to shards at random.
#pragma once

#include <memory>
#include <vector>

#include "pooling/shard_graph.hpp"
#include "tests/naive.hpp"

namespace naive {

struct ShardedGraph {
  ShardedGraph(const Matrix& given, Node shards, Random& random) : adjacent(given), num_shards(shards) {
    for (Node v = 0; v < size_of(adjacent); ++v) {
      owner.push_back(random_between(0, shards - 1, random));
      offsets.push_back(static_cast<Offset>(later.size()));
      for (Node u = v + 1; u < size_of(adjacent); ++u)
        if (adjacent[idx(v)][idx(u)]) later.push_back(u);
    }
    offsets.push_back(static_cast<Offset>(later.size()));
  }
  cliquepool::OrientedView view() const { return {offsets, later}; }
  cliquepool::Shard cut(Node shard, cliquepool::Budget& budget) const {
    return cut_shard(view(), owner, shard, budget);
  }

  Matrix adjacent;
  Node num_shards;
  Nodes owner;
  std::vector<Offset> offsets;
  Nodes later;
};

}  // namespace naive
