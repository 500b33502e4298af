// All heaviest cliques of one small dense graph: the inside of a look of the pooling.
#pragma once

#include <algorithm>

#include "bitset.hpp"
#include "budget.hpp"
#include "types.hpp"

namespace cliquepool {

// A graph of at most a few thousand vertices as bitset rows, with the search over it. Fill it (reset, join,
// set_weight), then ask for all cliques of an exact weight. Keeps its memory between uses.
class LocalSearch {
 public:
  // Bytes that a graph of `size` vertices needs, so that a budget can be asked first.
  static std::int64_t bytes(Node size) {
    const std::int64_t row = static_cast<std::int64_t>(words_for(size)) * 8;
    return row * size * 4 + static_cast<std::int64_t>(size) * 16;  // rows, candidates, branches, classes
  }

  void reset(Node size) {
    size_ = size;
    words_ = words_for(size);
    if (words_ == 3) words_ = 4;
    rows_.assign(idx(size_) * idx(words_), 0);
    weight_.resize(idx(size_));
  }
  void join(Node a, Node b) {
    set_bit(row(a), b);
    set_bit(row(b), a);
  }
  void set_weight(Node v, Node weight) { weight_[idx(v)] = weight; }

  // Calls found(members) for every clique that weighs exactly `target`; `members` are local vertices.
  // Requires that no clique weighs more. Returns target if there was one, else an upper bound below it
  // on the weight of any clique.
  template <typename Found>
  Node heaviest(Node target, Pace& pace, Found&& found) {
    const bool unit = std::all_of(weight_.begin(), weight_.end(), [](Node w) { return w == 1; });
    switch (words_) {
      case 1: return unit ? run<1, true>(target, pace, found) : run<1, false>(target, pace, found);
      case 2: return unit ? run<2, true>(target, pace, found) : run<2, false>(target, pace, found);
      case 4: return unit ? run<4, true>(target, pace, found) : run<4, false>(target, pace, found);
      default: return unit ? run<0, true>(target, pace, found) : run<0, false>(target, pace, found);
    }
  }

 private:
  Word* row(Node v) { return rows_.data() + idx(v) * idx(words_); }
  // Sets that belong to a depth of the search.
  Word* candidates(Node depth) { return candidates_.data() + idx(depth) * idx(words_); }
  Word* branches(Node depth) { return branches_.data() + idx(depth) * idx(words_); }
  Word* colour_class(Node i) { return classes_.data() + idx(i) * idx(words_); }
  void note_bound(Node weight) { bound_ = std::max(bound_, weight); }
  void make_room(Node depth) {
    const std::size_t words = (idx(depth) + 1) * idx(words_);
    if (candidates_.size() < words) {
      candidates_.resize(words);
      branches_.resize(words);
    }
    if (need_.size() <= idx(depth)) {
      need_.resize(idx(depth) + 1);
      chosen_before_.resize(idx(depth) + 1);
    }
  }

  template <int kWords, bool kUnit, typename Found>
  Node run(Node target, Pace& pace, Found&& found) {
    const Width<kWords> width(words_);
    bound_ = 0;
    found_any_ = false;
    target_ = target;
    chosen_.clear();
    if (!peel<kWords, kUnit>(width, target)) return std::min(bound_, target - 1);

    // Depth-first over an explicit stack: a near-complete graph of thousands of vertices nests as deep.
    Node depth = 0;
    if (!enter<kWords, kUnit>(width, 0, found)) depth = -1;
    while (depth >= 0) {
      pace.step(idx(words_));
      const Node v = width.first(branches(depth));
      if (v < 0) {
        --depth;
        if (depth >= 0) chosen_.resize(idx(chosen_before_[idx(depth)]));
        continue;
      }
      clear_bit(branches(depth), v);
      clear_bit(candidates(depth), v);
      make_room(depth + 1);
      width.intersect(candidates(depth + 1), candidates(depth), row(v));
      chosen_before_[idx(depth)] = static_cast<Node>(chosen_.size());
      chosen_.push_back(v);
      need_[idx(depth) + 1] = need_[idx(depth)] - (kUnit ? 1 : weight_[idx(v)]);
      if (enter<kWords, kUnit>(width, depth + 1, found)) {
        ++depth;
      } else {
        chosen_.resize(idx(chosen_before_[idx(depth)]));
      }
    }
    return found_any_ ? target : std::min(bound_, target - 1);
  }

  // Candidates of depth 0: repeatedly drop vertices too poor in neighbours to be in a clique of `target`.
  template <int kWords, bool kUnit>
  bool peel(Width<kWords> width, Node target) {
    make_room(0);
    need_[0] = target;
    Word* all = candidates(0);
    width.clear(all);
    for (Node v = 0; v < size_; ++v) set_bit(all, v);
    Node richest = 0;
    for (bool dropped = true; dropped;) {
      dropped = false;
      width.for_each(all, [&](Node v) {
        Node weight;
        if constexpr (kUnit) {
          weight = 1 + width.count_common(row(v), all);
        } else {
          weight = weight_[idx(v)];
          for (int w = 0; w < width.words(); ++w)
            for (Word bits = row(v)[w] & all[w]; bits != 0; bits &= bits - 1)
              weight += weight_[idx(w * kWordBits + std::countr_zero(bits))];
        }
        if (weight < target) {
          clear_bit(all, v);
          dropped = true;
          richest = std::max(richest, weight);
        }
      });
    }
    // A clique lighter than target may hold dropped vertices: its first dropped one bounds it.
    note_bound(richest);
    return !width.empty(all);
  }

  template <typename Found>
  void report(Found&& found) {
    found_any_ = true;
    found(std::span<const Node>(chosen_.span()));
  }
  template <typename Found>
  void report_with(Node v, Found&& found) {
    chosen_.push_back(v);
    report(found);
    chosen_.pop_back();
  }

  // Settles the candidates of `depth` at once and returns false, or leaves the vertices to branch on and returns true.
  template <int kWords, bool kUnit, typename Found>
  bool enter(Width<kWords> width, Node depth, Found&& found) {
    if constexpr (kUnit) {
      return enter_unit(width, depth, found);
    } else {
      return enter_weighted(width, depth, found);
    }
  }

  // One or two vertices are missing: no bounds needed.
  template <int kWords, typename Found>
  void finish_unit(Width<kWords> width, const Word* among, Node need, Found&& found) {
    if (need == 0) {
      report(found);
    } else if (need == 1) {
      width.for_each(among, [&](Node v) { report_with(v, found); });
    } else {
      width.for_each(among, [&](Node u) {
        const Word* neighbours = row(u);
        chosen_.push_back(u);
        for (int w = u / kWordBits; w < width.words(); ++w) {
          Word bits = among[w] & neighbours[w];
          if (w == u / kWordBits) bits &= ~Word{0} << (u % kWordBits);
          for (; bits != 0; bits &= bits - 1) report_with(w * kWordBits + std::countr_zero(bits), found);
        }
        chosen_.pop_back();
      });
    }
  }

  template <int kWords, typename Found>
  bool enter_unit(Width<kWords> width, Node depth, Found&& found) {
    Word* among = candidates(depth);
    const Node need = need_[idx(depth)];
    const Node weight_so_far = target_ - need;
    const Node count = width.count(among);
    if (count < need) {
      note_bound(weight_so_far + count);
      return false;
    }
    if (need <= 2) {
      finish_unit(width, among, need, found);
      note_bound(target_ - 1);
      return false;
    }

    // need - 1 colour classes cannot hold a clique of `need`: only what they leave over is branched on.
    Word* over = branches(depth);
    width.copy(over, among);
    const Node colours = colour_greedily(width, over, need - 1);
    if (width.empty(over)) {
      note_bound(weight_so_far + colours);
      return false;
    }
    note_bound(target_ - 1);
    recolour(width, over, need - 1);
    if (width.empty(over)) return false;
    if (is_independent(width, over)) return settle_tight(width, depth, found);
    return true;
  }

  // Moves vertices from `over` into up to `colours` independent sets, first fit. Returns how many were opened.
  template <int kWords>
  Node colour_greedily(Width<kWords> width, Word* over, Node colours) {
    for (Node c = 0; c < colours; ++c) {
      if (width.empty(over)) return c;
      if (classes_.size() < (idx(c) + 2) * idx(words_)) classes_.resize((idx(c) + 2) * idx(words_));
      if (open_.size() < idx(words_)) open_.resize(idx(words_));
      Word* open = open_.data();
      Word* members = colour_class(c);
      width.copy(open, over);
      width.clear(members);
      for (int w = 0; w < width.words(); ++w) {
        while (open[w] != 0) {
          const Node v = w * kWordBits + std::countr_zero(open[w]);
          open[w] &= open[w] - 1;
          set_bit(members, v);
          const Word* neighbours = row(v);
          for (int i = w; i < width.words(); ++i) open[i] &= ~neighbours[i];
        }
      }
      width.subtract(over, members);
    }
    return colours;
  }

  // A vertex left over with one neighbour u in some class takes u's place when u fits another class.
  template <int kWords>
  void recolour(Width<kWords> width, Word* over, Node colours) {
    width.for_each(over, [&](Node v) {
      for (Node c = 0; c < colours; ++c) {
        Word* members = colour_class(c);
        Node conflict = -1;
        Node conflicts = 0;
        for (int w = 0; w < width.words() && conflicts < 2; ++w) {
          const Word common = members[w] & row(v)[w];
          if (common == 0) continue;
          conflicts += std::popcount(common);
          conflict = w * kWordBits + std::countr_zero(common);
        }
        if (conflicts > 1) continue;
        if (conflicts == 1) {
          Node other = 0;
          while (other < colours && (other == c || !width.disjoint(colour_class(other), row(conflict)))) ++other;
          if (other == colours) continue;
          clear_bit(members, conflict);
          set_bit(colour_class(other), conflict);
        }
        set_bit(members, v);
        clear_bit(over, v);
        return;
      }
    });
  }

  template <int kWords>
  bool is_independent(Width<kWords> width, const Word* set) {
    for (int w = 0; w < width.words(); ++w)
      for (Word bits = set[w]; bits != 0; bits &= bits - 1)
        if (!width.disjoint(row(w * kWordBits + std::countr_zero(bits)), set)) return false;
    return true;
  }

  // As many classes as vertices missing: a clique has one of each, so a class with one vertex left forces it.
  template <int kWords, typename Found>
  bool settle_tight(Width<kWords> width, Node depth, Found&& found) {
    Word* among = candidates(depth);
    Node need = need_[idx(depth)];
    width.copy(colour_class(need - 1), branches(depth));  // colour_greedily left room for one more
    Node open_classes = need;
    Node smallest = 0;
    for (bool forced = true; forced;) {
      forced = false;
      int fewest = size_ + 1;
      for (Node c = 0; c < open_classes;) {
        const int left = width.count_common(colour_class(c), among);
        if (left == 0) return false;
        if (left == 1) {
          Word* members = colour_class(c);
          width.intersect(members, members, among);
          const Node v = width.first(members);
          chosen_.push_back(v);
          width.intersect(among, among, row(v));
          --need;
          --open_classes;
          if (c != open_classes) width.copy(members, colour_class(open_classes));
          forced = true;
          continue;
        }
        if (left < fewest) {
          fewest = left;
          smallest = c;
        }
        ++c;
      }
    }
    if (need <= 2) {
      finish_unit(width, among, need, found);
      return false;
    }
    need_[idx(depth)] = need;
    width.intersect(branches(depth), colour_class(smallest), among);
    return true;
  }

  // Weighted colouring by splitting: independent sets, each worth its least remaining weight, until `need` is in reach.
  template <int kWords, typename Found>
  bool enter_weighted(Width<kWords> width, Node depth, Found&& found) {
    const Word* among = candidates(depth);
    const Node need = need_[idx(depth)];
    const Node weight_so_far = target_ - need;
    if (need == 0) {
      assert(width.empty(among));
      report(found);
      return false;
    }
    if (left_.size() < idx(size_)) left_.resize(idx(size_));
    Node total = 0;
    width.for_each(among, [&](Node v) {
      left_[idx(v)] = weight_[idx(v)];
      total += weight_[idx(v)];
    });
    if (total < need) {
      note_bound(weight_so_far + total);
      return false;
    }
    Word* over = branches(depth);
    width.copy(over, among);
    if (open_.size() < idx(words_)) open_.resize(idx(words_));
    Word* open = open_.data();
    Node bound = 0;
    while (!width.empty(over)) {
      independent_.clear();
      width.copy(open, over);
      Node least = kMaxNodes;
      for (int w = 0; w < width.words(); ++w) {
        while (open[w] != 0) {
          const Node v = w * kWordBits + std::countr_zero(open[w]);
          open[w] &= open[w] - 1;
          independent_.push_back(v);
          least = std::min(least, left_[idx(v)]);
          const Word* neighbours = row(v);
          for (int i = w; i < width.words(); ++i) open[i] &= ~neighbours[i];
        }
      }
      if (bound + least >= need) {
        note_bound(target_ - 1);
        return true;
      }
      bound += least;
      for (const Node v : independent_.span()) {
        left_[idx(v)] -= least;
        if (left_[idx(v)] == 0) clear_bit(over, v);
      }
    }
    note_bound(weight_so_far + bound);
    return false;
  }

  Node size_ = 0;
  int words_ = 0;
  Buffer<Word> rows_;
  Buffer<Node> weight_;

  Node target_ = 0;
  Node bound_ = 0;
  bool found_any_ = false;
  Buffer<Node> chosen_;
  Buffer<Word> candidates_;
  Buffer<Word> branches_;
  Buffer<Node> need_;
  Buffer<Node> chosen_before_;
  Buffer<Word> classes_;
  Buffer<Word> open_;
  Buffer<Node> left_;
  Buffer<Node> independent_;
};

}  // namespace cliquepool
