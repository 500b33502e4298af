// Bron-Kerbosch with pivoting where sets take a few words and at most 64 nodes are excluded from the start.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/types.hpp"
#include "cliques/local_problem.hpp"

namespace cliquepool::listing {

template <int kWords, typename Sink>
class RowSearch;

// Numbers the excluded nodes that have no local id, and transposes their rows: each candidate holds, beside the set of
// candidates adjacent to it, the numbers of the excluded nodes adjacent to it as the bits of a word. Then one
// intersection narrows all excluded nodes at once, and those adjacent to every candidate are the intersection over the
// candidates. Most of the time of a listing is spent here.
template <int kWords, typename Sink>
class NumberedSearch {
 public:
  using Set = Bitset<kWords>;
  using Narrower = std::conditional_t<(kWords > 1), RowSearch<kWords / 2, Sink>, void>;
  static constexpr int kIds = kWords * kWordBits;
  static constexpr int kMaxNumbered = kWordBits;

  // `narrower` takes over branches that are small enough for it; null if kWords = 1.
  NumberedSearch(Sink& sink, Pace& pace, Narrower* narrower) : sink_(&sink), pace_(&pace), narrower_(narrower) {}

  // The candidates adjacent to candidate i, and i itself.
  const Set& row(int i) const { return rows_[idx(i)].local; }
  void set_row(int i, const Set& row) { rows_[idx(i)].local = row; }

  // Finds the maximal cliques of at least `min_size` local ids that hold `clique` and otherwise only candidates.
  // Excluded are the former candidates in `branched`, and `count` nodes with rows at `excluded_rows`, which must stay
  // valid. There are candidates, and all of them and all excluded nodes are adjacent to all of `clique`.
  void run(const NodeTable& table, int min_size, const Set& clique, const Set& candidates, const Set& branched,
           const Word* excluded_rows, std::size_t count) {
    table_ = table;
    min_size_ = min_size;
    excluded_rows_ = excluded_rows;
    search(clique, candidates, {branched, number(candidates, count)});
  }

  // Gives a branch to the narrower search if it fits there and is large enough to be worth new local ids.
  // each_excluded(visit) calls visit(row) for each excluded node.
  template <typename EachExcluded>
  bool hand_over(const NodeTable& table, int min_size, const Set& clique, const Set& candidates,
                 EachExcluded&& each_excluded) {
    if constexpr (kWords > 1) {
      const int size = candidates.count();
      if (size < kWorthRelabelling || size + clique.count() > kIds / 2) return false;
      narrower_->take_over(
          table, min_size, Set::kWidth, clique.words, candidates.words, [&](int i) { return row(i).words; },
          each_excluded);
      return true;
    }
    return false;
  }

 private:
  static constexpr int kWorthRelabelling = 8;

  // Excluded nodes, or nodes adjacent to a candidate: those with a local id, and those with a number.
  struct Nodes {
    Set local;
    Word numbered;

    bool empty() const { return local.empty() && numbered == 0; }
    friend Nodes operator&(const Nodes& a, const Nodes& b) { return {a.local & b.local, a.numbered & b.numbered}; }
  };
  struct Choice {
    Nodes common;  // adjacent to every candidate
    int pivot;     // the candidate adjacent to most others, but not to all; the last one of equals
  };

  Word number(const Set& candidates, std::size_t count) {
    candidates.for_each([&](int i) { rows_[idx(i)].numbered = 0; });
    Word bit = 1;
    Word all = 0;
    for (std::size_t x = 0; x < count; ++x, bit <<= 1) {
      all |= bit;
      excluded_row(static_cast<int>(x)).for_each([&](int i) { rows_[idx(i)].numbered |= bit; });
    }
    return all;
  }
  Set excluded_row(int x) const { return Set::load(excluded_rows_ + idx(x) * kWords); }

  // Calls visit(row) for each excluded node.
  template <typename Visit>
  void for_each_row(const Nodes& excluded, Visit&& visit) const {
    excluded.local.for_each([&](int i) { visit(row(i)); });
    Bitset<1>{excluded.numbered}.for_each([&](int x) { visit(excluded_row(x)); });
  }

  void put(const Set& clique) { sink_->put(table_, Set::kWidth, clique.words); }

  Choice choose(const Set& candidates, int size) const {
    Nodes common = rows_[idx(candidates.first())];
    int best = 0;
    candidates.for_each([&](int i) {
      common = common & rows_[idx(i)];
      int degree = (row(i) & candidates).count();
      degree = degree == size ? 0 : degree;
      best = std::max(best, degree * kIds + i);
    });
    return {common, best % kIds};
  }

  void search(Set clique, Set candidates, Nodes excluded) {
    pace_->step();
    const int size = candidates.count();
    if (clique.count() + size < min_size_) return;

    const auto [common, pivot] = choose(candidates, size);
    if (!(common & excluded).empty()) return;
    const Set universal = candidates & common.local;
    if (!universal.empty()) {
      clique = clique | universal;
      candidates = candidates - universal;
      if (candidates.empty()) return put(clique);
      universal.for_each([&](int i) { excluded = excluded & rows_[idx(i)]; });
    }

    // An excluded node with more adjacent candidates than the pivot is a better one.
    Set pending = (candidates - row(pivot)).with(pivot);
    int fewest = pending.count();
    for_each_row(excluded, [&](const Set& row) {
      const Set apart = candidates - row;
      const int branches = apart.count();
      if (branches < fewest) {
        fewest = branches;
        pending = apart;
      }
    });
    pending.for_each([&](int i) {
      candidates.remove(i);
      branch(clique.with(i), candidates & row(i), excluded & rows_[idx(i)]);
      excluded.local.add(i);
    });
  }

  // As `search`, but there may be no candidates. Up to two are handled without a call.
  void branch(Set clique, Set candidates, Nodes excluded) {
    if (candidates.empty()) {
      if (excluded.empty()) put(clique);
      return;
    }
    const int one = candidates.first();
    const Nodes excluded_with_one = excluded & rows_[idx(one)];
    Set others = candidates;
    others.remove(one);
    if (others.empty()) {
      if (excluded_with_one.empty()) put(clique.with(one));
      return;
    }
    const int two = others.first();
    others.remove(two);
    if (others.empty()) {
      if (row(one).has(two)) {
        if ((excluded_with_one & rows_[idx(two)]).empty()) put(clique.with(one).with(two));
      } else {
        if (excluded_with_one.empty()) put(clique.with(one));
        if ((excluded & rows_[idx(two)]).empty()) put(clique.with(two));
      }
      return;
    }
    if constexpr (kWords > 1) {
      const auto each_excluded = [&](auto&& visit) {
        for_each_row(excluded, [&](const Set& row) { visit(row.words); });
      };
      if (hand_over(table_, min_size_, clique, candidates, each_excluded)) return;
    }
    search(clique, candidates, excluded);
  }

  Sink* sink_;
  Pace* pace_;
  Narrower* narrower_;
  NodeTable table_{};
  int min_size_ = 0;
  const Word* excluded_rows_ = nullptr;  // of the numbered nodes
  std::array<Nodes, kIds> rows_;
};

}  // namespace cliquepool::listing
