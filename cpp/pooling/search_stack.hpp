// The explicit stack of a depth-first clique search. (A nearly complete graph of thousands of vertices nests as deep,
// too deep for recursion.)
#pragma once

#include <span>

#include "pooling/bit_graph.hpp"

namespace cliquepool {

// Where a search begins: among `candidates`, for cliques of weight `need` that are to be joined with `chosen`.
struct SearchBranch {
  Buffer<Word> candidates;
  Buffer<Node> chosen;
  Node need = 0;
};

// Every depth has a set of candidates, the vertices adjacent to all chosen ones, and a set of branches, the candidates
// still to be tried. Keeps its memory between searches.
class SearchStack {
 public:
  // Starts at depth 0 with `candidates`, among which cliques of weight `need` are searched, to be joined with the
  // vertices chosen before.
  template <int kWords>
  void begin(Width<kWords> width, const Word* candidates, Node need, std::span<const Node> chosen_before = {}) {
    words_ = width.words();
    depth_ = 0;
    chosen_.clear();
    chosen_.append(chosen_before);
    reserve_depth();
    frames_[0] = {.need = need};
    width.copy(this->candidates(), candidates);
  }

  // Chooses `v`, a branch of the top depth, and descends to the candidates adjacent to it. Afterwards `v` is neither a
  // candidate nor a branch of the depth above.
  template <int kWords>
  void push(Width<kWords> width, Node v, const Word* neighbours, Node weight) {
    clear_bit(branches(), v);
    clear_bit(candidates(), v);
    const Frame frame{.need = need() - weight, .chosen_before = static_cast<Node>(chosen_.size())};
    ++depth_;
    reserve_depth();
    frames_[idx(depth_)] = frame;
    Word* const below = candidates();
    width.intersect(below, below - words_, neighbours);
    chosen_.push_back(v);
  }
  // Returns to the depth above, and undoes the choices made since.
  void pop() {
    chosen_.resize(idx(frames_[idx(depth_)].chosen_before));
    --depth_;
  }
  bool empty() const { return depth_ < 0; }

  // Takes away a branch of the lowest depth that has one, as if it had been tried there, for a search that begins with
  // what is written to `branch`. Returns false if no depth has a branch.
  template <int kWords, typename WeightOf>
  bool take_lowest_branch(Width<kWords> width, const BitGraph& graph, WeightOf&& weight_of, SearchBranch& branch) {
    for (Node depth = 0; depth <= depth_; ++depth) {
      Word* const among = candidates_.data() + idx(depth) * idx(words_);
      Word* const to_try = branches_.data() + idx(depth) * idx(words_);
      const Node v = width.first(to_try);
      if (v < 0) continue;
      clear_bit(to_try, v);
      clear_bit(among, v);
      branch.need = frames_[idx(depth)].need - weight_of(v);
      branch.candidates.resize(idx(words_));
      width.intersect(branch.candidates.data(), among, graph.row(v));
      branch.chosen.clear();
      branch.chosen.append(
          chosen_.span().first(depth == depth_ ? chosen_.size() : idx(frames_[idx(depth) + 1].chosen_before)));
      branch.chosen.push_back(v);
      return true;
    }
    return false;
  }

  // The sets of the top depth.
  Word* candidates() { return candidates_.data() + idx(depth_) * idx(words_); }
  Word* branches() { return branches_.data() + idx(depth_) * idx(words_); }
  // The weight that the chosen vertices lack to the target.
  Node need() const { return frames_[idx(depth_)].need; }
  void set_need(Node need) { frames_[idx(depth_)].need = need; }
  // Whether to choose branches again, from the candidates left, once all present ones have been tried.
  bool revisit() const { return frames_[idx(depth_)].revisit; }
  void set_revisit(bool revisit) { frames_[idx(depth_)].revisit = revisit; }

  // The vertices chosen at all depths.
  Buffer<Node>& chosen() { return chosen_; }

 private:
  struct Frame {
    Node need = 0;
    Node chosen_before = 0;  // number of vertices chosen before this depth
    bool revisit = false;
  };

  void reserve_depth() {
    const std::size_t depths = idx(depth_) + 1;
    if (candidates_.size() < depths * idx(words_)) {
      candidates_.resize(depths * idx(words_));
      branches_.resize(depths * idx(words_));
    }
    if (frames_.size() < depths) frames_.resize(depths);
  }

  int words_ = 0;  // per set
  Node depth_ = -1;
  Buffer<Word> candidates_;
  Buffer<Word> branches_;
  Buffer<Frame> frames_;
  Buffer<Node> chosen_;
};

}  // namespace cliquepool
