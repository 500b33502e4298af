#include "graph/csr_by_parts.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/charged_buffer.hpp"
#include "base/parallel.hpp"

namespace cliquepool {
namespace {

constexpr std::size_t kMostParts = 1024;
constexpr std::size_t kEntriesPerPart = std::size_t{1} << 15;
constexpr std::size_t kEdgesPerChunk = std::size_t{1} << 18;

// A part is a range of nodes: node v is in part v >> shift. An entry is a direction of an edge: a node, and a neighbour
// to be listed there.
template <NodeId Id>
class PartedBuild {
 public:
  PartedBuild(Endpoints<Id> sources, Endpoints<Id> targets, std::size_t num_edges, Node num_nodes, unsigned threads,
              Budget& budget)
      : sources_(sources),
        targets_(targets),
        num_edges_(num_edges),
        num_nodes_(idx(num_nodes)),
        threads_(std::max(threads, 1U)),
        budget_(budget),
        num_chunks_((num_edges + kEdgesPerChunk - 1) / kEdgesPerChunk),
        entries_(budget),
        offsets_(budget, num_nodes_ + 1) {
    const std::size_t most = std::clamp(2 * num_edges / kEntriesPerPart, std::size_t{1}, kMostParts);
    while (((num_nodes_ - 1) >> shift_) >= most) ++shift_;
    num_parts_ = ((num_nodes_ - 1) >> shift_) + 1;
  }

  Graph build() {
    scatter();
    offsets_[0] = 0;
    std::vector<Scratch> scratch;
    scratch.reserve(threads_);
    for (unsigned thread = 0; thread < threads_; ++thread) scratch.emplace_back(budget_);
    share_out(threads_, num_parts_, budget_, [&](unsigned thread, std::size_t part) { list(part, scratch[thread]); });
    move_together();
    return {offsets_.take(), entries_.take()};
  }

 private:
  // Memory of a thread to sort the entries of a part.
  struct Scratch {
    explicit Scratch(Budget& budget) : ends(budget), neighbours(budget) {}

    ChargedBuffer<Offset> ends;
    ChargedBuffer<Node> neighbours;
  };

  // Calls visit(node, neighbour) for both directions of each edge of a chunk but loops.
  template <typename Visit>
  void for_each_entry(std::size_t chunk, Visit&& visit) const {
    const std::size_t last = std::min(num_edges_, (chunk + 1) * kEdgesPerChunk);
    for (std::size_t edge = chunk * kEdgesPerChunk; edge < last; ++edge) {
      const auto u = static_cast<Node>(sources_[edge]);
      const auto v = static_cast<Node>(targets_[edge]);
      if (u == v) continue;
      visit(u, v);
      visit(v, u);
    }
  }
  std::size_t part_of(Node v) const { return idx(v) >> shift_; }

  // Writes the entries part by part, and within a part chunk by chunk.
  void scatter() {
    // Of each part and chunk: first the number of entries, then where the next one is written.
    ChargedBuffer<Offset> next(budget_, num_parts_ * num_chunks_, 0);
    share_out(threads_, num_chunks_, budget_, [&](unsigned, std::size_t chunk) {
      budget_.check();
      Offset* const counts = next.data() + chunk * num_parts_;
      for_each_entry(chunk, [&](Node node, Node) { ++counts[part_of(node)]; });
    });
    part_start_.assign(num_parts_ + 1, 0);
    Offset end = 0;
    for (std::size_t part = 0; part < num_parts_; ++part) {
      for (std::size_t chunk = 0; chunk < num_chunks_; ++chunk) {
        Offset& count = next[chunk * num_parts_ + part];
        const Offset start = end;
        end += count;
        count = start;
      }
      part_start_[part + 1] = end;
    }
    entries_.resize(2 * idx(end));
    share_out(threads_, num_chunks_, budget_, [&](unsigned, std::size_t chunk) {
      budget_.check();
      Offset* const to = next.data() + chunk * num_parts_;
      Node* const entries = entries_.data();
      for_each_entry(chunk, [&](Node node, Node neighbour) {
        Node* const entry = entries + 2 * to[part_of(node)]++;
        entry[0] = node;
        entry[1] = neighbour;
      });
    });
  }

  // Replaces the entries of a part by its lists of neighbours, end to end, and writes where each ends.
  void list(std::size_t part, Scratch& scratch) {
    budget_.check();
    const std::size_t first = part << shift_;
    const std::size_t size = part_end(part) - first;
    Node* const entries = entries_.data() + 2 * part_start_[part];
    const std::size_t num_entries = idx(part_start_[part + 1] - part_start_[part]);
    scratch.ends.assign(size + 1, 0);
    scratch.neighbours.resize(num_entries);
    Offset* const ends = scratch.ends.data();
    Node* const neighbours = scratch.neighbours.data();
    for (std::size_t i = 0; i < num_entries; ++i) ++ends[idx(entries[2 * i]) - first + 1];
    for (std::size_t v = 0; v < size; ++v) ends[v + 1] += ends[v];
    // Writing the neighbours of v moves its end from where they begin to where they end.
    for (std::size_t i = 0; i < num_entries; ++i) neighbours[ends[idx(entries[2 * i]) - first]++] = entries[2 * i + 1];
    Node* to = entries;
    Node* begin = neighbours;
    for (std::size_t v = 0; v < size; ++v) {
      Node* const end = neighbours + ends[v];
      if (!std::is_sorted(begin, end)) std::sort(begin, end);
      to = std::unique_copy(begin, end, to);
      offsets_[first + v + 1] = to - entries;
      begin = end;
    }
  }

  std::size_t part_end(std::size_t part) const { return std::min(num_nodes_, (part + 1) << shift_); }

  // Moves the lists of all parts to the front. Parts are moved at the same time if the last of them ends before the
  // first one was: each time, about twice as many as before.
  void move_together() {
    std::vector<Offset> start(num_parts_ + 1, 0);  // of the lists of each part, when they are together
    for (std::size_t part = 0; part < num_parts_; ++part) start[part + 1] = start[part] + offsets_[part_end(part)];
    for (std::size_t first = 0, last = 0; first < num_parts_; first = last) {
      last = first + 1;
      while (last < num_parts_ && start[last + 1] <= 2 * part_start_[first]) ++last;
      share_out(threads_, last - first, budget_, [&](unsigned, std::size_t i) {
        budget_.check();
        const std::size_t part = first + i;
        std::copy_n(entries_.data() + 2 * part_start_[part], start[part + 1] - start[part],
                    entries_.data() + start[part]);
        for (std::size_t v = part << shift_; v < part_end(part); ++v) offsets_[v + 1] += start[part];
      });
    }
    entries_.resize(idx(offsets_[num_nodes_]));
  }

  Endpoints<Id> sources_;
  Endpoints<Id> targets_;
  std::size_t num_edges_;
  std::size_t num_nodes_;
  unsigned threads_;
  Budget& budget_;
  std::size_t num_chunks_;
  int shift_ = 0;
  std::size_t num_parts_ = 1;
  std::vector<Offset> part_start_;  // in entries
  ChargedBuffer<Node> entries_;     // node and neighbour in turn; in the end, the neighbours
  ChargedBuffer<Offset> offsets_;
};

}  // namespace

template <NodeId Id>
Graph build_by_parts(Endpoints<Id> sources, Endpoints<Id> targets, std::size_t num_edges, Node num_nodes,
                     unsigned threads, Budget& budget) {
  return PartedBuild<Id>(sources, targets, num_edges, num_nodes, threads, budget).build();
}

template Graph build_by_parts(Endpoints<std::int32_t>, Endpoints<std::int32_t>, std::size_t, Node, unsigned, Budget&);
template Graph build_by_parts(Endpoints<std::int64_t>, Endpoints<std::int64_t>, std::size_t, Node, unsigned, Budget&);

}  // namespace cliquepool
