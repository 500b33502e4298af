#include "hierarchy.hpp"

#include <algorithm>
#include <chrono>

#include "parallel.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kGraphsPerChunk = 32;

bool has_edges(GraphView quotient, std::span<const Node> sizes) {
  return !quotient.neighbours.empty() || std::any_of(sizes.begin(), sizes.end(), [](Node s) { return s > 1; });
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

// A level that `graphs` graphs so far do not reach.
FlatLevel empty_level(std::size_t graphs) {
  FlatLevel level;
  level.pool_start.assign(graphs + 1, 0);
  start(level.coarse);
  level.coarse.class_start.assign(graphs + 1, 0);
  return level;
}

void append(FlatLevel& to, const FlatLevel& more) {
  append_shifted(to.pool_start, more.pool_start.span());
  append_shifted(to.pools.offsets, more.pools.offsets.span());
  to.pools.members.append(more.pools.members.span());
  append(to.coarse, more.coarse);
}

void append_hierarchy(FlatHierarchies& to, const std::vector<HierarchyLevel>& levels) {
  const std::size_t graphs = to.depth.size();
  while (to.levels.size() < levels.size()) to.levels.push_back(empty_level(graphs));
  for (std::size_t i = 0; i < to.levels.size(); ++i) {
    FlatLevel& flat = to.levels[i];
    if (i < levels.size()) {
      const HierarchyLevel& level = levels[i];
      append_shifted(flat.pools.offsets, level.pools.offsets.span());
      flat.pools.members.append(level.pools.members.span());
      append(flat.coarse, level.coarse.classes.span(), level.coarse.sizes.span(), level.coarse.quotient.view());
    } else {
      flat.coarse.class_start.push_back(flat.coarse.class_start.back());
    }
    flat.pool_start.push_back(flat.pools.size());
  }
  to.depth.push_back(static_cast<Node>(levels.size()));
}

void append(FlatHierarchies& to, const FlatHierarchies& more) {
  append(to.bottom, more.bottom);
  const std::size_t graphs = to.depth.size();
  while (to.levels.size() < more.levels.size()) to.levels.push_back(empty_level(graphs));
  const FlatLevel none = empty_level(more.depth.size());
  for (std::size_t i = 0; i < to.levels.size(); ++i)
    append(to.levels[i], i < more.levels.size() ? more.levels[i] : none);
  to.depth.append(more.depth.span());
}

// Hierarchies of consecutive graphs, one after the other in the same memory.
class ChunkBuilder {
 public:
  void add(GraphView graph, int levels, Budget& budget, FlatHierarchies& to) {
    finder_.run(graph, budget, twins_);
    const GraphView quotient = twins_.quotient_or(graph);
    append(to.bottom, twins_.classes.span(), twins_.sizes.span(), quotient);
    append_hierarchy(to, builder_.run(quotient, twins_.sizes.span(), levels, 1, budget));
  }

 private:
  TwinFinder finder_;
  TwinLevel twins_;
  HierarchyBuilder builder_;
};

}  // namespace

std::vector<HierarchyLevel> HierarchyBuilder::run(GraphView graph, std::span<const Node> sizes, int levels,
                                                  unsigned threads, Budget& budget, const OnLevel& on_level) {
  std::vector<HierarchyLevel> hierarchy;
  GraphView quotient = graph;
  for (int level = 1; levels == kUntilConverged ? has_edges(quotient, sizes) : level <= levels; ++level) {
    if (on_level) on_level(level);
    const auto begin = std::chrono::steady_clock::now();
    HierarchyLevel& added = hierarchy.emplace_back();
    pooler_.run(quotient, sizes, {.threads = threads, .progress = static_cast<bool>(on_level)}, budget, added.pools);
    coarsener_.run(quotient, added.pools.view(), budget, added.coarse);
    quotient = added.coarse.quotient.view();
    sizes = added.coarse.sizes.span();
    added.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return hierarchy;
}

FlatHierarchies build_hierarchies(std::span<const Offset> node_start, std::span<const Offset> offsets,
                                  std::span<const Node> neighbours, int levels, unsigned threads, Budget& budget) {
  const std::size_t graphs = node_start.size() - 1;
  const std::size_t chunks = (graphs + kGraphsPerChunk - 1) / kGraphsPerChunk;
  std::vector<FlatHierarchies> parts(chunks);
  struct Worker {
    ChunkBuilder builder;
    Buffer<Offset> local_offsets;
  };
  std::vector<Worker> workers(std::max(threads, 1U));
  budget.set_total(static_cast<std::int64_t>(graphs));
  share_out(threads, chunks, budget, [&](unsigned thread, std::size_t chunk) {
    Worker& worker = workers[thread];
    FlatHierarchies& part = parts[chunk];
    start(part.bottom);
    const std::size_t end = std::min(graphs, (chunk + 1) * kGraphsPerChunk);
    for (std::size_t g = chunk * kGraphsPerChunk; g < end; ++g) {
      const auto graph_offsets = offsets.subspan(idx(node_start[g]), idx(node_start[g + 1] - node_start[g]) + 1);
      const Offset base = graph_offsets.front();
      worker.local_offsets.clear();
      for (const Offset offset : graph_offsets) worker.local_offsets.push_back(offset - base);
      const GraphView graph{worker.local_offsets.span(),
                            neighbours.subspan(idx(base), idx(graph_offsets.back() - base))};
      worker.builder.add(graph, levels, budget, part);
      budget.add_done(1);
    }
  });
  if (chunks == 1) return std::move(parts.front());
  FlatHierarchies all;
  start(all.bottom);
  for (FlatHierarchies& part : parts) {
    append(all, part);
    part = {};
  }
  return all;
}

}  // namespace cliquepool
