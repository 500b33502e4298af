// Hierarchies: pooling and coarsening, repeated, of one graph or of many.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "graph/twins.hpp"
#include "hierarchy/coarsening.hpp"
#include "hierarchy/level_rows.hpp"
#include "pooling/pooler.hpp"

namespace cliquepool {

inline constexpr int kUntilConverged = -1;

struct HierarchyLevel {
  Ragged pools;      // lists of the classes of the level below
  TwinLevel coarse;  // the graph between the pools
  // Of each class and its neighbours, where the quotient did not fit into the budget and is empty; otherwise empty.
  Buffer<Offset> closed_weights;
  double seconds = 0;  // that it took; 0 without a callback
};

// Returns the bytes that the rows of a level would take, and pooling them besides, if they were stored.
std::int64_t bytes_to_store(const LevelRows& rows);

// The parts of hierarchies to build.
enum class Parts {
  all,
  // Without the twin classes of the graphs themselves, and without the coarse graph of the last of a fixed number of
  // levels: they may cost more than the pools, and can be computed later, graph by graph.
  pools,
};

// Builds hierarchies one after another in the same memory.
class HierarchyBuilder {
 public:
  // Called before each level, counted from 1, with the rows of the graph that is pooled.
  using OnLevel = std::function<void(int level, const LevelRows& below)>;

  HierarchyBuilder() = default;
  // For tests: quotients of more than so many entries are not stored.
  explicit HierarchyBuilder(Offset most_stored) { fitting_.most_stored = most_stored; }

  // Pools `levels` times, or until no edge is left: every component is one node. The vertices of `graph` are the twin
  // classes at the bottom, their weights the class sizes. A quotient that does not fit into what is left of the budget
  // is not stored; the levels above are computed without it.
  std::vector<HierarchyLevel> run(const WeightedGraph& graph, int levels, unsigned threads, Budget& budget,
                                  const OnLevel& on_level = {});

  // Does the same in the memory of `hierarchy`, but fails where a quotient does not fit. Returns the number of levels;
  // further elements of `hierarchy` keep their old contents.
  int run_into(std::vector<HierarchyLevel>& hierarchy, const WeightedGraph& graph, int levels, Parts parts,
               unsigned threads, Budget& budget, const OnLevel& on_level = {});

 private:
  Pooler pooler_;
  Coarsener coarsener_;
  CoarseningOptions fitting_;
};

// The twin classes of many graphs, end to end. Ids count within each graph, starts and offsets over all graphs.
struct FlatTwins {
  Buffer<Node> classes;        // class of each node
  Buffer<Offset> class_start;  // of each graph, + 1
  Buffer<Node> sizes;          // of each class
  Buffer<Offset> offsets;      // of each class in `neighbours`, + 1
  Buffer<Node> neighbours;     // of the quotients
};
// One level of many graphs, end to end.
struct FlatLevel {
  Buffer<Offset> pool_start;  // of each graph, + 1
  Ragged pools;
  std::optional<FlatTwins> coarse;  // none in the last level of Parts::pools
};
struct FlatHierarchies {
  std::optional<FlatTwins> bottom;  // none with Parts::pools
  Buffer<Node> depth;               // number of levels of each graph
  std::vector<FlatLevel> levels;    // a graph of lower depth has no pools in the higher ones
};

// Builds the hierarchies of many graphs, which the threads share.
FlatHierarchies build_hierarchies(std::span<const GraphView> graphs, int levels, Parts parts, unsigned threads,
                                  Budget& budget);

// Views of graphs stored end to end: graph g has the nodes node_start[g] to node_start[g + 1]; `offsets` points into
// `neighbours`, which counts nodes from 0 in each graph.
class EndToEnd {
 public:
  EndToEnd(std::span<const Offset> node_start, std::span<const Offset> offsets, std::span<const Node> neighbours);
  std::span<const GraphView> graphs() const { return graphs_; }

 private:
  Buffer<Offset> offsets_;  // of all graphs, each from 0
  std::vector<GraphView> graphs_;
};

}  // namespace cliquepool
