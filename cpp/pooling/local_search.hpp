// All heaviest cliques of one small dense graph: the inside of a look of the pooling.
#pragma once

#include <algorithm>
#include <limits>

#include "pooling/bit_graph.hpp"
#include "pooling/colouring.hpp"
#include "pooling/complement_matching.hpp"
#include "pooling/local_graph.hpp"

namespace cliquepool {

// A graph of at most a few thousand vertices as bitset rows, with the search over it. Fill it (reset, then add the
// vertices one by one), then ask for all cliques of an exact weight. Keeps its memory between uses.
// As in LocalGraph, vertices count from 1.
class LocalSearch {
 public:
  // Bytes that a graph of `size` vertices needs, so that a budget can be asked first.
  static std::int64_t bytes(Node size) {
    const std::int64_t row = static_cast<std::int64_t>(words_for(size + 1)) * 8;
    // Rows; and, with a few twins more: rows again, candidates, branches, classes.
    return row * size * 6 + static_cast<std::int64_t>(size) * 32;
  }

  void reset(Node size) { whole_.reset(size); }
  template <typename Places>
  void add(Node v, Node weight, Places&& places) {
    whole_.add(v, weight, places);
  }
  void remove(Node v) { whole_.remove(v); }
  template <typename Weight>
  void restore(std::span<const Word> rows, Word live, Weight&& weight) {
    whole_.restore(rows, live, weight);
  }

  // A bound on the weight of any clique: one vertex from each class of a colouring.
  Node bound_by_colours() {
    return whole_.words == 1 ? bound_by_colours(Width<1>(1)) : bound_by_colours(Width<0>(whole_.words));
  }

  // Calls found(members) for every clique that weighs exactly `target`; `members` are local vertices.
  // Requires that no clique weighs more. Returns target if there was one, else an upper bound below it
  // on the weight of any clique.
  template <typename Found>
  Node heaviest(Node target, Pace& pace, Found&& found) {
    effort_.begin(std::numeric_limits<std::int64_t>::max() / 2, pace);
    only_one_ = false;
    return search(target, found);
  }

  // Lowers an upper bound on the weight of any clique towards the truth, with limited effort: the more costly it is to
  // come back, the more.
  Node tighten(Node bound, Pace& pace) {
    if (whole_.words == 1) return std::min(bound, bound_by_colours());
    effort_.begin(kLeastEffort + kEffortPerWord * static_cast<std::int64_t>(whole_.rows.size()), pace);
    only_one_ = true;
    bound = std::min(bound, bound_by_colours());
    while (bound > 0) {
      const Node reached = search(bound, [](std::span<const Node>) {});
      if (reached == bound) break;
      bound = reached;
    }
    return bound;
  }

 private:
  // Words looked at to tighten a bound: some local builds' worth.
  static constexpr std::int64_t kLeastEffort = 1 << 12;
  static constexpr std::int64_t kEffortPerWord = 2;
  // As twins a graph may have so many more vertices. (More costs more than better bounds save.)
  static constexpr Node kVerticesPerTwin = 8;
  static constexpr Node kTwinsMore = 4;
  static constexpr Node kUnsettled = -1;
  static constexpr Node kLeastToSort = 64;
  static constexpr Node kLeastNearlyComplete = 32;

  template <int kWords>
  Node bound_by_colours(Width<kWords> width) {
    graph_ = &whole_;
    make_room(0);
    width.copy(branches(0), whole_.live());
    if (whole_.unit()) return colouring_.greedily(width, whole_, branches(0), whole_.size);
    return colouring_.split_weights(width, whole_, branches(0), std::numeric_limits<std::int64_t>::max());
  }

  // Peels the whole graph for `target`, moves what is left to a narrower one when that saves words, and searches it.
  template <typename Found>
  Node search(Node target, Found&& found) {
    target_ = target;
    bound_ = 0;
    only_root_ = false;  // a search cut short at its root may have left it set
    graph_ = &whole_;
    const Remains left = whole_.words == 1 ? (whole_.unit() ? peel<1, true>(target) : peel<1, false>(target))
                                           : (whole_.unit() ? peel<0, true>(target) : peel<0, false>(target));
    if (left.count == 0) return std::min(bound_, target - 1);
    // Bounds are far better when all weights are one, so light vertices are searched as several twins.
    const bool as_twins = !whole_.unit() && left.weight <= left.count + left.count / kVerticesPerTwin + kTwinsMore;
    const Node size = as_twins ? left.weight : left.count;
    if (!only_one_ && left.count >= kLeastToSort) {
      // Most looks end at the root. For the others the order of the vertices is worth hours.
      peeled_.resize(idx(whole_.words));
      Width<0>(whole_.words).copy(peeled_.data(), candidates(0));
      only_root_ = true;
      const Node settled = whole_.unit() ? search_width<true>(target, found) : search_width<false>(target, found);
      only_root_ = false;
      if (settled != kUnsettled) return settled;
      kept_.clear();
      for (const Node v : whole_.by_degeneracy(effort_))
        if (test_bit(peeled_.data(), v)) kept_.push_back(v);
    } else if (as_twins || BitGraph::fitting_words(size) < whole_.words) {
      kept_.clear();
      Width<0>(whole_.words).for_each(candidates(0), [&](Node v) { kept_.push_back(v); });
    } else {
      return whole_.unit() ? search_width<true>(target, found) : search_width<false>(target, found);
    }
    whole_.extract(kept_.span(), size, as_twins, part_, origin_);
    graph_ = &part_;
    make_room(0);
    const Width<0> width(part_.words);
    width.clear(candidates(0));
    for (Node v = 0; v < size; ++v) set_bit(candidates(0), v);
    return whole_.unit() || as_twins ? search_width<true>(target, in_whole(found))
                                     : search_width<false>(target, in_whole(found));
  }
  template <bool kUnit, typename Found>
  Node search_width(Node target, Found&& found) {
    switch (graph_->words) {
      case 1:
        return run<1, kUnit>(target, found);
      case 2:
        return run<2, kUnit>(target, found);
      case 4:
        return run<4, kUnit>(target, found);
      default:
        return run<0, kUnit>(target, found);
    }
  }

  struct Remains {
    Node count = 0;
    Node weight = 0;
  };

  // Candidates of depth 0: repeatedly drop vertices too poor in neighbours to be in a clique of `target`.
  template <int kWords, bool kUnit>
  Remains peel(Node target) {
    make_room(0);
    if constexpr (kWords == 1 && kUnit) return peel_in_word(target);
    const Width<kWords> width(whole_.words);
    Word* all = candidates(0);
    width.copy(all, whole_.live());
    Node left = width.count(all);
    Node richest = 0;
    for (bool dropped = true; dropped;) {
      dropped = false;
      width.for_each(all, [&](Node v) {
        Node weight;
        if constexpr (kUnit) {
          weight = 1 + width.count_common(whole_.row(v), all);
        } else {
          weight = whole_.weight[idx(v)];
          for (int w = 0; w < width.words(); ++w)
            for (Word bits = whole_.row(v)[w] & all[w]; bits != 0; bits &= bits - 1)
              weight += whole_.weight[idx(w * kWordBits + std::countr_zero(bits))];
        }
        if (weight >= target) return;
        clear_bit(all, v);
        --left;
        dropped = true;
        richest = std::max(richest, weight);
      });
    }
    // A clique lighter than target may hold dropped vertices: the first of them to go bounds it.
    note_bound(richest);
    Remains remains{left, left};
    if constexpr (!kUnit) {
      remains.weight = 0;
      width.for_each(all, [&](Node v) { remains.weight += whole_.weight[idx(v)]; });
    }
    return remains;
  }

  // The same with sets that stay in registers, and without a branch for each vertex.
  Remains peel_in_word(Node target) {
    const Word* const rows = whole_.rows.data();
    Word all = *whole_.live();
    Node richest = 0;
    for (Word kept = all;; all = kept) {
      kept = 0;
      for (Word bits = all; bits != 0; bits &= bits - 1) {
        const int v = std::countr_zero(bits);
        const Node weight = 1 + std::popcount(rows[v] & all);
        const Node rich = weight >= target;
        kept |= static_cast<Word>(rich) << v;
        richest = std::max(richest, weight & (rich - 1));
      }
      if (kept == all) break;
    }
    *candidates(0) = all;
    note_bound(richest);
    const Node left = std::popcount(all);
    return {left, left};
  }

  template <typename Found>
  auto in_whole(Found&& found) {
    return [this, &found](std::span<const Node> members) {
      renamed_.clear();
      for (const Node v : members)
        if (origin_[idx(v)] != LocalGraph::kCopy) renamed_.push_back(origin_[idx(v)]);
      found(std::span<const Node>(renamed_.span()));
    };
  }

  Word* row(Node v) { return graph_->row(v); }
  // Sets that belong to a depth of the search.
  Word* candidates(Node depth) { return candidates_.data() + idx(depth) * idx(graph_->words); }
  Word* branches(Node depth) { return branches_.data() + idx(depth) * idx(graph_->words); }
  void note_bound(Node weight) { bound_ = std::max(bound_, weight); }
  void make_room(Node depth) {
    const std::size_t words = (idx(depth) + 1) * idx(graph_->words);
    if (candidates_.size() < words) {
      candidates_.resize(words);
      branches_.resize(words);
    }
    if (need_.size() <= idx(depth)) {
      need_.resize(idx(depth) + 1);
      chosen_before_.resize(idx(depth) + 1);
      again_.resize(idx(depth) + 1);
    }
  }

  // Depth-first over an explicit stack: a near-complete graph of thousands of vertices nests as deep.
  template <int kWords, bool kUnit, typename Found>
  Node run(Node target, Found&& found) {
    const Width<kWords> width(graph_->words);
    found_any_ = false;
    chosen_.clear();
    exclusions_.forget();
    need_[0] = target;
    Node depth = enter<kWords, kUnit>(width, 0, found) ? 0 : -1;
    if (only_root_ && depth == 0) return kUnsettled;
    while (depth >= 0) {
      if (only_one_ && (found_any_ || effort_.spent())) return target;
      const Node v = width.first(branches(depth));
      if (v < 0) {
        if (again_[idx(depth)] && enter<kWords, kUnit>(width, depth, found)) continue;
        --depth;
        if (depth >= 0) chosen_.resize(idx(chosen_before_[idx(depth)]));
        continue;
      }
      effort_.spend(width.words());
      clear_bit(branches(depth), v);
      clear_bit(candidates(depth), v);
      make_room(depth + 1);
      width.intersect(candidates(depth + 1), candidates(depth), row(v));
      chosen_before_[idx(depth)] = static_cast<Node>(chosen_.size());
      chosen_.push_back(v);
      need_[idx(depth) + 1] = need_[idx(depth)] - (kUnit ? 1 : graph_->weight[idx(v)]);
      if (enter<kWords, kUnit>(width, depth + 1, found)) {
        ++depth;
      } else {
        chosen_.resize(idx(chosen_before_[idx(depth)]));
      }
    }
    return found_any_ ? target : std::min(bound_, target - 1);
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
    again_[idx(depth)] = 0;
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
    effort_.spend(count * width.words());
    if (count < need) {
      note_bound(weight_so_far + count);
      return false;
    }
    if (need <= 2) {
      finish_unit(width, among, need, found);
      note_bound(target_ - 1);
      return false;
    }

    if (need >= kLeastNearlyComplete && need >= count / 2 && exclusions_.are_few(width, *graph_, among, count, effort_))
      return enter_nearly_complete(width, depth, count, found);

    // need - 1 colour classes cannot hold a clique of `need`: only what they leave over is branched on.
    Word* over = branches(depth);
    width.copy(over, among);
    const Node colours = colouring_.greedily(width, *graph_, over, need - 1);
    if (width.empty(over)) {
      note_bound(weight_so_far + colours);
      return false;
    }
    note_bound(target_ - 1);
    colouring_.recolour(width, *graph_, over, need - 1, effort_);
    if (width.empty(over)) return false;
    if (is_independent(width, over)) return settle_tight(width, depth, found);
    return true;
  }

  // Most candidates are to be taken, so look at who is not joined to whom. Whoever is joined to all is taken at once.
  // The rest is bounded by pairs that exclude each other: a fractional matching of the complement, as good as the
  // linear relaxation (Nemhauser, Trotter 1975). Branch on the vertex that excludes most: with it, then again without.
  template <int kWords, typename Found>
  bool enter_nearly_complete(Width<kWords> width, Node depth, Node count, Found&& found) {
    Word* among = candidates(depth);
    Node need = need_[idx(depth)];
    Node most = 0;
    Node branch = -1;
    effort_.spend(std::int64_t{count} * width.words());
    width.for_each(among, [&](Node v) {
      const Node excluded = count - 1 - width.count_common(row(v), among);
      if (excluded == 0) {
        chosen_.push_back(v);
        --need;
      }
      if (excluded > most) {
        most = excluded;
        branch = v;
      }
    });
    const Node taken = need_[idx(depth)] - need;
    if (taken > 0) {
      for (std::size_t i = chosen_.size() - idx(taken); i < chosen_.size(); ++i) clear_bit(among, chosen_[i]);
      count -= taken;
      need_[idx(depth)] = need;
    }
    if (need <= 2) {
      finish_unit(width, among, need, found);
      note_bound(target_ - 1);
      return false;
    }
    const Node bound = count - (exclusions_.size(width, *graph_, among, effort_) + 1) / 2;
    note_bound(std::min(target_ - 1, target_ - need + bound));
    if (bound < need) return false;
    width.clear(branches(depth));
    set_bit(branches(depth), branch);
    again_[idx(depth)] = 1;
    return true;
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
    width.copy(colouring_.of(need - 1), branches(depth));  // there is room for one more
    Node open_classes = need;
    Node smallest = 0;
    for (bool forced = true; forced;) {
      forced = false;
      int fewest = graph_->size + 1;
      for (Node c = 0; c < open_classes;) {
        const int left = width.count_common(colouring_.of(c), among);
        if (left == 0) return false;
        if (left == 1) {
          Word* members = colouring_.of(c);
          width.intersect(members, members, among);
          const Node v = width.first(members);
          chosen_.push_back(v);
          width.intersect(among, among, row(v));
          --need;
          --open_classes;
          if (c != open_classes) width.copy(members, colouring_.of(open_classes));
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
    width.intersect(branches(depth), colouring_.of(smallest), among);
    return true;
  }

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
    effort_.spend(width.count(among) * width.words());
    Node total = 0;
    width.for_each(among, [&](Node v) { total += graph_->weight[idx(v)]; });
    if (total < need) {
      note_bound(weight_so_far + total);
      return false;
    }
    Word* over = branches(depth);
    width.copy(over, among);
    const Node bound = colouring_.split_weights(width, *graph_, over, need);
    if (width.empty(over)) {
      note_bound(weight_so_far + bound);
      return false;
    }
    note_bound(weight_so_far + bound);
    return true;
  }

  LocalGraph whole_;
  BitGraph part_;              // what peeling left of it, where that is worth a graph of its own
  BitGraph* graph_ = &whole_;  // the one searched
  Buffer<Word> peeled_;
  Buffer<Node> kept_;    // the vertices of the part, in their new order
  Buffer<Node> origin_;  // of each vertex of the part
  Buffer<Node> renamed_;

  bool only_one_ = false;
  bool only_root_ = false;
  Effort effort_;
  Colouring colouring_;
  Exclusions exclusions_;
  Node target_ = 0;
  Node bound_ = 0;
  bool found_any_ = false;
  Buffer<Node> chosen_;
  Buffer<Word> candidates_;
  Buffer<Word> branches_;
  Buffer<Node> need_;
  Buffer<Node> chosen_before_;
  Buffer<unsigned char> again_;  // of each depth: to be entered once more, without the vertex branched on
};

}  // namespace cliquepool
