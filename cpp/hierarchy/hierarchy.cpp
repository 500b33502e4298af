#include "hierarchy/hierarchy.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "base/parallel.hpp"
#include "hierarchy/implied_pooling.hpp"

namespace cliquepool {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kGraphsPerChunk = 32;

// Bytes for each entry of the rows of a graph that the Pooler needs, besides the rows: later neighbours, and a word for
// each of them.
constexpr std::int64_t kBytesToPool = 6;

// Returns whether the expanded graph has edges.
bool has_edges(const LevelRows& quotient, std::span<const Node> sizes) {
  for (Node c = 0; c < quotient.num_nodes(); ++c)
    if (quotient.degree(c) > 0) return true;
  return std::any_of(sizes.begin(), sizes.end(), [](Node size) { return size > 1; });
}

void append_shifted(Buffer<Offset>& to, std::span<const Offset> offsets) {
  const Offset base = to.back();
  for (const Offset offset : offsets.subspan(1)) to.push_back(base + offset);
}

void start(FlatTwins& twins) {
  twins.class_start.push_back(0);
  twins.offsets.push_back(0);
}

void append(FlatTwins& to, std::span<const Node> classes, std::span<const Node> sizes, GraphView quotient) {
  to.classes.append(classes);
  to.sizes.append(sizes);
  to.class_start.push_back(static_cast<Offset>(to.sizes.size()));
  append_shifted(to.offsets, quotient.offsets);
  to.neighbours.append(quotient.neighbours);
}

void append(FlatTwins& to, const FlatTwins& more) {
  to.classes.append(more.classes.span());
  to.sizes.append(more.sizes.span());
  append_shifted(to.class_start, more.class_start.span());
  append_shifted(to.offsets, more.offsets.span());
  to.neighbours.append(more.neighbours.span());
}

// A level that none of the first `graphs` graphs reaches.
FlatLevel empty_level(std::size_t graphs, bool with_coarse) {
  FlatLevel level;
  level.pool_start.assign(graphs + 1, 0);
  if (with_coarse) {
    start(level.coarse.emplace());
    level.coarse->class_start.assign(graphs + 1, 0);
  }
  return level;
}

void append(FlatLevel& to, const FlatLevel& more) {
  append_shifted(to.pool_start, more.pool_start.span());
  append_shifted(to.pools.offsets, more.pools.offsets.span());
  to.pools.members.append(more.pools.members.span());
  if (to.coarse) append(*to.coarse, *more.coarse);
}

void append_level(FlatLevel& to, const HierarchyLevel& level) {
  append_shifted(to.pools.offsets, level.pools.offsets.span());
  to.pools.members.append(level.pools.members.span());
  to.pool_start.push_back(to.pools.size());
  if (to.coarse)
    append(*to.coarse, level.coarse.classes.span(), level.coarse.sizes.span(), level.coarse.quotient.view());
}

// Appends a graph that does not reach this level.
void append_nothing(FlatLevel& to) {
  to.pool_start.push_back(to.pools.size());
  if (to.coarse) to.coarse->class_start.push_back(to.coarse->class_start.back());
}

void append(FlatHierarchies& to, const FlatHierarchies& more) {
  if (to.bottom) append(*to.bottom, *more.bottom);
  const std::size_t graphs = to.depth.size();
  for (std::size_t i = to.levels.size(); i < more.levels.size(); ++i)
    to.levels.push_back(empty_level(graphs, more.levels[i].coarse.has_value()));
  const FlatLevel none = empty_level(more.depth.size(), true);
  for (std::size_t i = 0; i < to.levels.size(); ++i)
    append(to.levels[i], i < more.levels.size() ? more.levels[i] : none);
  to.depth.append(more.depth.span());
}

// Appends the hierarchies of consecutive graphs, built one after another in the same memory.
class ChunkBuilder {
 public:
  void add(GraphView graph, int levels, Parts parts, Budget& budget, FlatHierarchies& to) {
    finder_.run(graph, budget, twins_);
    const GraphView quotient = twins_.quotient_or(graph);
    if (to.bottom) append(*to.bottom, twins_.classes.span(), twins_.sizes.span(), quotient);
    const int depth = builder_.run_into(hierarchy_, {quotient, twins_.sizes.span()}, levels, parts, 1, budget);
    while (static_cast<int>(to.levels.size()) < depth) {
      const bool last = static_cast<int>(to.levels.size()) + 1 == levels;
      to.levels.push_back(empty_level(to.depth.size(), !last || parts == Parts::all));
    }
    for (std::size_t i = 0; i < to.levels.size(); ++i) {
      if (static_cast<int>(i) < depth) {
        append_level(to.levels[i], hierarchy_[i]);
      } else {
        append_nothing(to.levels[i]);
      }
    }
    to.depth.push_back(static_cast<Node>(depth));
  }

 private:
  TwinFinder finder_;
  TwinLevel twins_;
  HierarchyBuilder builder_;
  std::vector<HierarchyLevel> hierarchy_;
};

}  // namespace

std::int64_t bytes_to_store(const LevelRows& rows) {
  std::int64_t bytes = 0;
  for (Node c = 0; c < rows.num_nodes(); ++c)
    bytes += static_cast<std::int64_t>(sizeof(Offset)) + rows.degree(c) * (std::int64_t{sizeof(Node)} + kBytesToPool);
  return bytes;
}

std::vector<HierarchyLevel> HierarchyBuilder::run(const WeightedGraph& graph, int levels, unsigned threads,
                                                  Budget& budget, const OnLevel& on_level) {
  std::vector<HierarchyLevel> hierarchy;
  fitting_.may_imply = true;
  hierarchy.resize(idx(run_into(hierarchy, graph, levels, Parts::all, threads, budget, on_level)));
  return hierarchy;
}

int HierarchyBuilder::run_into(std::vector<HierarchyLevel>& hierarchy, const WeightedGraph& graph, int levels,
                               Parts parts, unsigned threads, Budget& budget, const OnLevel& on_level) {
  int depth = 0;
  LevelRows rows = graph.graph;
  std::span<const Node> weights = graph.weights;
  std::vector<std::unique_ptr<ImpliedLevel>> implied;  // levels may be implied by implied ones
  fitting_.threads = threads;
  const PoolingOptions pooling{.threads = threads, .progress = static_cast<bool>(on_level)};
  while (levels == kUntilConverged ? has_edges(rows, weights) : depth < levels) {
    if (static_cast<int>(hierarchy.size()) == depth) hierarchy.emplace_back();
    HierarchyLevel& level = hierarchy[idx(depth++)];
    if (on_level) on_level(depth, rows);
    const auto begin = on_level ? Clock::now() : Clock::time_point{};
    fitting_.bytes_above = kBytesToPool;
    if (rows.implied() == nullptr) {
      pooler_.run({rows.stored(), weights}, pooling, budget, level.pools);
    } else {
      pool_implied(*rows.implied(), weights, fitting_, pooler_, pooling, budget, level.pools);
    }
    if (depth != levels || parts == Parts::all) {
      if (depth == levels) fitting_.bytes_above = 0;
      auto coarse_rows = coarsener_.run(rows, level.pools.view(), fitting_, budget, level.coarse);
      rows = level.coarse.quotient.view();
      weights = level.coarse.sizes.span();
      level.closed_weights.clear();
      if (coarse_rows) {
        resize_result(level.closed_weights, weights.size(), budget);
        std::copy_n(coarse_rows->closed_weights().begin(), weights.size(), level.closed_weights.begin());
        rows = LevelRows(coarse_rows->rows());
        implied.push_back(std::move(coarse_rows));
      }
    }
    if (on_level) level.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  return depth;
}

FlatHierarchies build_hierarchies(std::span<const GraphView> graphs, int levels, Parts parts, unsigned threads,
                                  Budget& budget) {
  // A single thread takes all graphs as one chunk, so that nothing has to be concatenated.
  const std::size_t per_chunk = threads > 1 ? kGraphsPerChunk : std::max<std::size_t>(graphs.size(), 1);
  const std::size_t chunks = (graphs.size() + per_chunk - 1) / per_chunk;
  std::vector<FlatHierarchies> built(chunks);
  std::vector<ChunkBuilder> builders(std::max(threads, 1U));
  budget.set_total(static_cast<std::int64_t>(graphs.size()));
  share_out(threads, chunks, budget, [&](unsigned thread, std::size_t chunk) {
    FlatHierarchies& of_chunk = built[chunk];
    if (parts == Parts::all) start(of_chunk.bottom.emplace());
    const std::size_t first = chunk * per_chunk;
    for (const GraphView graph : graphs.subspan(first, std::min(per_chunk, graphs.size() - first))) {
      builders[thread].add(graph, levels, parts, budget, of_chunk);
      budget.add_done(1);
    }
  });
  if (chunks == 1) return std::move(built.front());
  FlatHierarchies all;
  if (parts == Parts::all) start(all.bottom.emplace());
  for (FlatHierarchies& of_chunk : built) {
    budget.check();
    append(all, of_chunk);
    of_chunk = {};
  }
  return all;
}

EndToEnd::EndToEnd(std::span<const Offset> node_start, std::span<const Offset> offsets,
                   std::span<const Node> neighbours)
    : offsets_(offsets.size() + node_start.size() - 2) {
  graphs_.reserve(node_start.size() - 1);
  Offset* to = offsets_.data();
  for (std::size_t g = 0; g + 1 < node_start.size(); ++g) {
    const auto of_graph = offsets.subspan(idx(node_start[g]), idx(node_start[g + 1] - node_start[g]) + 1);
    const Offset base = of_graph.front();
    graphs_.push_back({{to, of_graph.size()}, neighbours.subspan(idx(base), idx(of_graph.back() - base))});
    for (const Offset offset : of_graph) *to++ = offset - base;
  }
}

}  // namespace cliquepool
