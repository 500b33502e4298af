#include "nn/packed_levels.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/errors.hpp"

namespace cliquepool {

namespace {

constexpr std::size_t kLengthAndPooled = 2;

[[noreturn]] void fail(const std::string& what) {
  throw GraphError("packed levels: expected what CliqueCoarsening made, got " + what);
}

// View of one packed graph.
class PackedGraph {
 public:
  PackedGraph(std::span<const Node> numbers, std::size_t pooled) : numbers_(numbers), pooled_(pooled) {
    for (const Node count : numbers_.subspan(kLengthAndPooled, 3 * pooled_ + 2))
      if (count < 0 || idx(count) > numbers_.size()) fail("a count that its length cannot hold");
    std::size_t needed = header_length(pooled_);
    for (std::size_t level = 0; level <= pooled_; ++level) needed += 2 * num_entries(level);
    for (std::size_t level = 1; level <= pooled_; ++level) needed += 2 * num_memberships(level);
    if (needed != numbers_.size()) fail("counts that do not add up to its length");
  }

  static std::size_t header_length(std::size_t pooled) { return kLengthAndPooled + 3 * pooled + 2; }

  std::size_t num_nodes(std::size_t level) const { return idx(numbers_[kLengthAndPooled + level]); }
  std::size_t num_entries(std::size_t level) const { return idx(numbers_[kLengthAndPooled + pooled_ + 1 + level]); }
  std::size_t num_memberships(std::size_t level) const {
    return idx(numbers_[kLengthAndPooled + 2 * pooled_ + 1 + level]);
  }

  // Two arrays of `count` numbers, one after the other.
  struct Pairs {
    std::span<const Node> first;
    std::span<const Node> second;
  };
  Pairs pairs(std::size_t begin, std::size_t count) const {
    return {numbers_.subspan(begin, count), numbers_.subspan(begin + count, count)};
  }

 private:
  std::span<const Node> numbers_;
  std::size_t pooled_;
};

// Writes the parts of all graphs, level by level, into the arrays of the batch.
class Unpacking {
 public:
  explicit Unpacking(std::span<const Node> packed) {
    for (std::size_t begin = 0; begin < packed.size();) {
      const auto left = packed.subspan(begin);
      if (left.size() < kLengthAndPooled || left[0] < 0 || idx(left[0]) > left.size()) fail("one that is cut off");
      if (left[1] < 1 || idx(left[1]) > left.size() || PackedGraph::header_length(idx(left[1])) > idx(left[0]))
        fail("a number of levels that its length cannot hold");
      if (graphs_.empty()) pooled_ = idx(left[1]);
      if (idx(left[1]) != pooled_)
        fail("graphs pooled " + std::to_string(pooled_) + " and " + std::to_string(left[1]) +
             " times; use one CliqueCoarsening for all");
      graphs_.emplace_back(left.first(idx(left[0])), pooled_);
      next_part_.push_back(PackedGraph::header_length(pooled_));
      begin += idx(left[0]);
    }
  }

  UnpackedLevels run() {
    count();
    for (std::size_t level = 0; level <= pooled_; ++level) write_entries(level);
    for (std::size_t level = 1; level <= pooled_; ++level) write_memberships(level);
    return std::move(levels_);
  }

 private:
  void count() {
    levels_.num_graphs = graphs_.size();
    levels_.num_nodes.assign(pooled_ + 1, 0);
    levels_.num_entries.assign(pooled_ + 1, 0);
    levels_.num_memberships.assign(pooled_, 0);
    levels_.entry_start.reserve(graphs_.size() * (pooled_ + 1) + 1);
    levels_.entry_start.push_back(0);
    for (const PackedGraph& graph : graphs_) {
      for (std::size_t level = 0; level <= pooled_; ++level) {
        const Offset before = levels_.entry_start.back();
        levels_.entry_start.push_back(before + static_cast<Offset>(graph.num_entries(level)));
        levels_.num_nodes[level] += static_cast<Offset>(graph.num_nodes(level));
        levels_.num_entries[level] += static_cast<Offset>(graph.num_entries(level));
        if (level > 0) levels_.num_memberships[level - 1] += static_cast<Offset>(graph.num_memberships(level));
      }
    }
    std::size_t wide = 0;
    std::size_t narrow = 0;
    for (std::size_t level = 0; level <= pooled_; ++level) {
      const std::size_t nodes = idx(levels_.num_nodes[level]);
      if (nodes > static_cast<std::size_t>(kMaxNodes)) fail("more nodes than 2^31-1");
      narrow += idx(levels_.num_entries[level]);
      wide += graphs_.size() + 1 + nodes + 1 + 2 * idx(levels_.num_entries[level]);
      if (level == 0) continue;
      const std::size_t memberships = idx(levels_.num_memberships[level - 1]);
      narrow += 2 * memberships;
      wide += nodes + 1 + 2 * memberships + idx(levels_.num_nodes[level - 1]) + 1;
    }
    levels_.wide.resize(wide);
    levels_.narrow.resize(narrow);
    wide_ = levels_.wide.data();
    narrow_ = levels_.narrow.data();
  }

  void write_entries(std::size_t level) {
    const std::size_t nodes = idx(levels_.num_nodes[level]);
    const std::size_t entries = idx(levels_.num_entries[level]);
    Offset* const start = wide_;
    Offset* const offsets = start + graphs_.size() + 1;
    Offset* source = offsets + nodes + 1;
    Offset* target = source + entries;
    wide_ = target + entries;
    start[0] = 0;
    for (std::size_t g = 0; g < graphs_.size(); ++g)
      start[g + 1] = start[g] + static_cast<Offset>(graphs_[g].num_nodes(level));
    std::fill_n(offsets, nodes + 1, Offset{0});
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      const PackedGraph& graph = graphs_[g];
      const auto [sources, targets] = take(g, graph.num_entries(level));
      check_pairs(sources, graph.num_nodes(level), targets, graph.num_nodes(level));
      const Offset base = start[g];
      for (std::size_t i = 0; i < sources.size(); ++i) {
        source[i] = base + sources[i];
        target[i] = base + targets[i];
        narrow_[i] = static_cast<Node>(base + sources[i]);
      }
      for (const Node v : targets) ++offsets[base + v + 1];
      source += sources.size();
      target += sources.size();
      narrow_ += sources.size();
    }
    std::partial_sum(offsets, offsets + nodes + 1, offsets);
    starts_.push_back(start);
  }

  void write_memberships(std::size_t level) {
    const std::size_t pools = idx(levels_.num_nodes[level]);
    const std::size_t nodes = idx(levels_.num_nodes[level - 1]);
    const std::size_t memberships = idx(levels_.num_memberships[level - 1]);
    Offset* const pool_offsets = wide_;
    Offset* const node = pool_offsets + pools + 1;
    Offset* const pool = node + memberships;
    Offset* const node_offsets = pool + memberships;
    wide_ = node_offsets + nodes + 1;
    Node* const narrow_nodes = narrow_;
    Node* const pools_by_node = narrow_nodes + memberships;
    narrow_ = pools_by_node + memberships;
    std::fill_n(pool_offsets, pools + 1, Offset{0});
    std::fill_n(node_offsets, nodes + 1, Offset{0});
    std::size_t written = 0;
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      const PackedGraph& graph = graphs_[g];
      const auto [below, above] = take(g, graph.num_memberships(level));
      check_pairs(below, graph.num_nodes(level - 1), above, graph.num_nodes(level));
      for (std::size_t i = 0; i < below.size(); ++i, ++written) {
        node[written] = starts_[level - 1][g] + below[i];
        pool[written] = starts_[level][g] + above[i];
        narrow_nodes[written] = static_cast<Node>(node[written]);
        ++pool_offsets[pool[written] + 1];
        ++node_offsets[node[written] + 1];
      }
    }
    if (std::count(pool_offsets + 1, pool_offsets + pools + 1, 0) > 0) fail("a pool without members");
    if (std::count(node_offsets + 1, node_offsets + nodes + 1, 0) > 0) fail("a node that is in no pool");
    std::partial_sum(pool_offsets, pool_offsets + pools + 1, pool_offsets);
    std::partial_sum(node_offsets, node_offsets + nodes + 1, node_offsets);
    Buffer<Offset> next;
    next.append({node_offsets, nodes});
    for (std::size_t i = 0; i < memberships; ++i) pools_by_node[next[idx(node[i])]++] = static_cast<Node>(pool[i]);
  }

  PackedGraph::Pairs take(std::size_t g, std::size_t count) {
    const auto pairs = graphs_[g].pairs(next_part_[g], count);
    next_part_[g] += 2 * count;
    return pairs;
  }

  // Checks that all are in range, ordered by the second and then by the first, and distinct.
  static void check_pairs(std::span<const Node> first, std::size_t first_end, std::span<const Node> second,
                          std::size_t second_end) {
    bool in_range = true;  // no early exit, so that these loops vectorise
    bool ascends = true;
    for (std::size_t i = 0; i < first.size(); ++i)
      in_range &= (static_cast<std::size_t>(first[i]) < first_end) & (static_cast<std::size_t>(second[i]) < second_end);
    if (!in_range) fail("a node or pool out of range");
    for (std::size_t i = 1; i < first.size(); ++i)
      ascends &= (second[i] > second[i - 1]) | ((second[i] == second[i - 1]) & (first[i] > first[i - 1]));
    if (!ascends) fail("edges or memberships out of order");
  }

  std::vector<PackedGraph> graphs_;
  std::vector<std::size_t> next_part_;  // of each graph: the index of its next unread number
  std::size_t pooled_ = 0;
  UnpackedLevels levels_;
  std::vector<const Offset*> starts_;  // of each level: the start of the nodes of each graph
  Offset* wide_ = nullptr;
  Node* narrow_ = nullptr;
};

}  // namespace

UnpackedLevels unpack_levels(std::span<const Node> packed) { return Unpacking(packed).run(); }

}  // namespace cliquepool
