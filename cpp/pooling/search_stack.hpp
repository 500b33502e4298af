// The explicit stack of a depth-first clique search. (A nearly complete graph of thousands of vertices nests as deep,
// too deep for recursion.)
#pragma once

#include "pooling/bit_graph.hpp"

namespace cliquepool {

// Every depth has a set of candidates, the vertices adjacent to all chosen ones, and a set of branches, the candidates
// still to be tried. Keeps its memory between searches.
class SearchStack {
 public:
  // Starts at depth 0 with `candidates`, among which cliques of weight `need` are searched.
  template <int kWords>
  void begin(Width<kWords> width, const Word* candidates, Node need) {
    words_ = width.words();
    depth_ = 0;
    chosen_.clear();
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
