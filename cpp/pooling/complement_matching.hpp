// A bound for nearly complete graphs: of two vertices that are not joined, a clique has at most one.
#pragma once

#include "pooling/bit_graph.hpp"

namespace cliquepool {

// Matches the vertices of a bit graph along its missing edges. Keeps its memory between uses.
class Exclusions {
 public:
  // Another graph is searched from now on.
  void forget() { fresh_ = true; }

  template <int kWords>
  static bool are_few(Width<kWords> width, const BitGraph& graph, const Word* among, Node count, Effort& effort) {
    std::int64_t joined = 0;
    width.for_each(among, [&](Node v) { joined += width.count_common(graph.row(v), among); });
    effort.spend(std::int64_t{count} * width.words());
    const std::int64_t pairs = std::int64_t{count} * (count - 1);
    return (pairs - joined) * kMostIsOneIn <= pairs;
  }

  // The size of a maximum matching between two copies of the candidates, u to v when they are not joined. What is left
  // of the last matching is kept and augmented.
  template <int kWords>
  Node size(Width<kWords> width, const BitGraph& graph, const Word* among, Effort& effort) {
    if (fresh_) {
      mate_.assign(idx(graph.size), kFree);
      mate_back_.assign(idx(graph.size), kFree);
      reached_from_.resize(idx(graph.size));
      unseen_.resize(idx(graph.words));
      fresh_ = false;
    }
    for (Node v = 0; v < graph.size; ++v) {
      const Node u = mate_[idx(v)];
      if (u == kFree || (test_bit(among, v) && test_bit(among, u))) continue;
      mate_[idx(v)] = kFree;
      mate_back_[idx(u)] = kFree;
    }
    Node matched = 0;
    Word* unseen = unseen_.data();
    width.for_each(among, [&](Node start) {
      if (mate_[idx(start)] != kFree) {
        ++matched;
        return;
      }
      width.copy(unseen, among);
      queue_.clear();
      queue_.push_back(start);
      for (std::size_t i = 0; i < queue_.size(); ++i) {
        const Node u = queue_[i];
        const Word* joined = graph.row(u);
        for (int w = 0; w < width.words(); ++w) {
          for (Word bits = unseen[w] & ~joined[w]; bits != 0; bits &= bits - 1) {
            const Node v = w * kWordBits + std::countr_zero(bits);
            if (v == u) continue;
            clear_bit(unseen, v);
            reached_from_[idx(v)] = u;
            if (mate_back_[idx(v)] != kFree) {
              queue_.push_back(mate_back_[idx(v)]);
              continue;
            }
            // Turn the path around: every vertex on it gets the one it reached.
            for (Node end = v; end != kFree;) {
              const Node from = reached_from_[idx(end)];
              const Node next = mate_[idx(from)];
              mate_[idx(from)] = end;
              mate_back_[idx(end)] = from;
              end = next;
            }
            ++matched;
            return;
          }
        }
        effort.spend(width.words());
      }
    });
    return matched;
  }

 private:
  static constexpr Node kFree = -1;
  static constexpr std::int64_t kMostIsOneIn = 16;  // pairs; with more, colours bound better
  bool fresh_ = true;
  Buffer<Node> mate_;
  Buffer<Node> mate_back_;
  Buffer<Node> reached_from_;
  Buffer<Word> unseen_;
  Buffer<Node> queue_;
};

}  // namespace cliquepool
