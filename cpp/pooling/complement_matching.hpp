// An upper bound for nearly complete graphs by a matching of the complement: of two non-adjacent vertices, a clique has
// at most one.
#pragma once

#include "pooling/bit_graph.hpp"
#include "pooling/effort.hpp"

namespace cliquepool {

// A maximum matching between two copies ("left" and "right") of a vertex set, where left u and right v may be matched
// when u and v are different and not adjacent. Half of it is a maximum fractional matching of the complement, so
// |set| - ceil(size / 2) bounds a clique as well as the linear relaxation does (Nemhauser, Trotter 1975).
class ComplementMatching {
 public:
  // Starts on another graph.
  void reset() { empty_ = true; }

  // Returns whether few enough pairs of the `count` vertices in `among` are non-adjacent: with more of them, colour
  // bounds are better.
  template <int kWords>
  static bool is_worthwhile(Width<kWords> width, const BitGraph& graph, const Word* among, Node count, Effort& effort) {
    std::int64_t adjacent = 0;
    width.for_each(among, [&](Node v) { adjacent += width.count_common(graph.row(v), among); });
    effort.spend(std::int64_t{count} * width.words());
    const std::int64_t pairs = std::int64_t{count} * (count - 1);
    return (pairs - adjacent) * kPairsPerMissingEdge <= pairs;
  }

  // Returns the size of a maximum matching of `among`. Starts from the pairs of the last matching that are still in
  // `among`.
  template <int kWords>
  Node size(Width<kWords> width, const BitGraph& graph, const Word* among, Effort& effort) {
    prepare(graph);
    drop_pairs_outside(graph, among);
    Node matched = 0;
    width.for_each(among, [&](Node v) {
      if (mate_of_left_[idx(v)] != kFree || augment(width, graph, among, v, effort)) ++matched;
    });
    return matched;
  }

 private:
  static constexpr Node kFree = -1;
  static constexpr std::int64_t kPairsPerMissingEdge = 16;

  void prepare(const BitGraph& graph) {
    if (!empty_) return;
    mate_of_left_.assign(idx(graph.size), kFree);
    mate_of_right_.assign(idx(graph.size), kFree);
    reached_from_.resize(idx(graph.size));
    unreached_.resize(idx(graph.words));
    empty_ = false;
  }

  void drop_pairs_outside(const BitGraph& graph, const Word* among) {
    for (Node left = 0; left < graph.size; ++left) {
      const Node right = mate_of_left_[idx(left)];
      if (right == kFree || (test_bit(among, left) && test_bit(among, right))) continue;
      mate_of_left_[idx(left)] = kFree;
      mate_of_right_[idx(right)] = kFree;
    }
  }

  // Searches breadth-first for an augmenting path from the free left vertex `start`, and augments along it. Returns
  // whether there is one.
  template <int kWords>
  bool augment(Width<kWords> width, const BitGraph& graph, const Word* among, Node start, Effort& effort) {
    Word* const unreached = unreached_.data();
    width.copy(unreached, among);
    queue_.clear();
    queue_.push_back(start);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const Node left = queue_[i];
      const Word* const adjacent = graph.row(left);
      for (int w = 0; w < width.words(); ++w) {
        for (Word bits = unreached[w] & ~adjacent[w]; bits != 0; bits &= bits - 1) {
          const Node right = w * kWordBits + std::countr_zero(bits);
          if (right == left) continue;
          clear_bit(unreached, right);
          reached_from_[idx(right)] = left;
          if (mate_of_right_[idx(right)] == kFree) {
            augment_path_to(right);
            return true;
          }
          queue_.push_back(mate_of_right_[idx(right)]);
        }
      }
      effort.spend(width.words());
    }
    return false;
  }

  // Matches every left vertex of the path to the right vertex that was reached from it.
  void augment_path_to(Node end) {
    for (Node right = end; right != kFree;) {
      const Node left = reached_from_[idx(right)];
      const Node next = mate_of_left_[idx(left)];
      mate_of_left_[idx(left)] = right;
      mate_of_right_[idx(right)] = left;
      right = next;
    }
  }

  bool empty_ = true;  // no matching yet on the graph searched
  Buffer<Node> mate_of_left_;
  Buffer<Node> mate_of_right_;
  Buffer<Node> reached_from_;  // of each right vertex reached: the left vertex before it on the path
  Buffer<Word> unreached_;     // right vertices
  Buffer<Node> queue_;         // left vertices reached
};

}  // namespace cliquepool
