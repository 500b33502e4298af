// Pool, coarsen, again: the levels above one graph, or above many at once.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "graph/twins.hpp"
#include "hierarchy/coarsening.hpp"
#include "pooling/pooler.hpp"

namespace cliquepool {

inline constexpr int kUntilConverged = -1;

struct HierarchyLevel {
  Ragged pools;        // lists of the classes below
  TwinLevel coarse;    // the graph between the pools
  double seconds = 0;  // spent on it, where somebody is told of levels
};

// Keeps the memory of its parts between graphs.
class HierarchyBuilder {
 public:
  using OnLevel = std::function<void(int level)>;  // told before each level, from 1

  // `levels` times, or until no edge is left: every component one node. `graph` is the quotient at the bottom, `sizes`
  // its classes' sizes.
  std::vector<HierarchyLevel> run(GraphView graph, std::span<const Node> sizes, int levels, unsigned threads,
                                  Budget& budget, const OnLevel& on_level = {});

  // The same into `hierarchy`, using its memory again; returns the number of levels, beyond which it holds what was
  // there before. The last of a fixed number of levels can be left without its coarse graph.
  int run_into(std::vector<HierarchyLevel>& hierarchy, GraphView graph, std::span<const Node> sizes, int levels,
               bool last_coarse, unsigned threads, Budget& budget, const OnLevel& on_level = {});

 private:
  Pooler pooler_;
  Coarsener coarsener_;
};

// One level of many graphs, end to end. Ids are those of each graph alone; starts count over all graphs.
struct FlatTwins {
  Buffer<Node> classes;        // of each node
  Buffer<Offset> class_start;  // per graph, + 1
  Buffer<Node> sizes;
  Buffer<Offset> offsets;  // of the quotients' neighbours, + 1
  Buffer<Node> neighbours;
};
struct FlatLevel {
  Buffer<Offset> pool_start;  // per graph, + 1
  Ragged pools;
  std::optional<FlatTwins> coarse;  // none where it is left out
};
struct FlatHierarchies {
  std::optional<FlatTwins> bottom;  // none where it is left out
  Buffer<Node> depth;               // per graph: its number of levels
  std::vector<FlatLevel> levels;    // a graph of lesser depth has no pools here
};

// Parts that a caller can make later from the rest, graph by graph, and that may cost more than the pools.
struct Wanted {
  bool bottom = true;       // the twin classes of the graphs themselves
  bool last_coarse = true;  // the graphs between the pools of the last of a fixed number of levels
};

// Hierarchies of many graphs. Threads share out the graphs.
FlatHierarchies build_hierarchies(std::span<const GraphView> graphs, int levels, const Wanted& wanted, unsigned threads,
                                  Budget& budget);

// Graphs that stand end to end: graph g has the nodes node_start[g] to node_start[g + 1], `offsets` points into
// `neighbours`, which counts nodes from 0 in each graph.
class EndToEnd {
 public:
  EndToEnd(std::span<const Offset> node_start, std::span<const Offset> offsets, std::span<const Node> neighbours);
  std::span<const GraphView> graphs() const { return graphs_; }

 private:
  Buffer<Offset> offsets_;  // of each graph alone
  std::vector<GraphView> graphs_;
};

}  // namespace cliquepool
