// Bron-Kerbosch with pivoting on a local problem whose sets fit in a few words.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "cliques/local_problem.hpp"
#include "cliques/sink.hpp"

namespace cliquepool::listing {

// Sets of local ids take W words. Up to 64 excluded nodes of the problem are numbered, and stand as bits in the rows of
// the candidates they are adjacent to: one `and` narrows all of them at once, and those adjacent to every
// candidate are what is left of an `and` over the candidates' rows. While there are more, they are kept as
// the sets of candidates they are adjacent to; they get fewer with every branch.
template <int W, typename Sink>
class SmallSearch {
 public:
  using Narrower = SmallSearch<W / 2, Sink>;

  // `narrower` takes over branches that are small enough for it; there is none for W = 1.
  SmallSearch(Sink& sink, Budget& budget, Pace& pace, Narrower* narrower)
      : sink_(&sink), pace_(&pace), narrower_(narrower), listed_(budget) {}

  void run(const LocalProblem& problem, std::size_t min_size) {
    table_ = problem.table();
    min_local_ = static_cast<int>(min_size - std::min(min_size, problem.beside.size()));
    const Bitset<W> candidates = Bitset<W>::load(problem.candidates.data());
    candidates.for_each([&](int i) { rows_[i] = {Bitset<W>::load(problem.row(i)).with(i), 0}; });
    listed_.truncate(0);
    for (std::size_t x = 0; x < problem.num_excluded; ++x) listed_.push_back(Bitset<W>::load(problem.excluded_row(x)));
    search_listed(Bitset<W>::load(problem.taken.data()), candidates, Bitset<W>{}, 0);
  }

  // Takes over a branch of a wider search, under new local ids. each_excluded(take) gives `take` the row of each
  // excluded node.
  template <int Wider, typename EachExcluded>
  void take_over(const NodeTable& table,
                 const std::array<typename SmallSearch<Wider, Sink>::Row, Wider * kWordBits>& rows,
                 const Bitset<Wider>& clique, const Bitset<Wider>& candidates, int min_local,
                 EachExcluded&& each_excluded) {
    std::array<std::uint8_t, Wider * kWordBits> new_id;
    int ids = 0;
    Bitset<W> new_clique{};
    Bitset<W> new_candidates{};
    (clique | candidates).for_each([&](int i) {
      (candidates.has(i) ? new_candidates : new_clique).add(ids);
      nodes_[ids] = table.nodes[i];
      new_id[i] = static_cast<std::uint8_t>(ids++);
    });
    auto renamed = [&](const Bitset<Wider>& set) {
      Bitset<W> result{};
      (set & candidates).for_each([&](int i) { result.add(new_id[i]); });
      return result;
    };
    table_ = {nodes_.data(), table.beside};
    min_local_ = min_local;
    candidates.for_each([&](int i) { rows_[new_id[i]] = {renamed(rows[i].near), 0}; });
    listed_.truncate(0);
    bool covered = false;
    each_excluded([&](const Bitset<Wider>& row) {
      const Bitset<W> rest = renamed(row);
      covered = covered || rest == new_candidates;
      if (!rest.empty()) listed_.push_back(rest);
    });
    if (covered) return;
    search_listed(new_clique, new_candidates, Bitset<W>{}, 0);
  }

  // Excluded nodes: those that were candidates by local id, the problem's own by number.
  struct Excluded {
    Bitset<W> near;
    Word outer;

    bool empty() const { return near.empty() && outer == 0; }
    friend Excluded operator&(const Excluded& a, const Excluded& b) { return {a.near & b.near, a.outer & b.outer}; }
  };
  // What a candidate is adjacent to, itself included.
  using Row = Excluded;

 private:
  struct Choice {
    Excluded common;  // what every candidate is adjacent to
    int pivot;        // the candidate adjacent to most others, but not to all
  };

  Choice choose(const Bitset<W>& candidates, int size) const {
    Excluded common = rows_[candidates.first()];
    int best = 0;
    candidates.for_each([&](int i) {
      common = common & rows_[i];
      int degree = (rows_[i].near & candidates).count();
      degree = degree == size ? 0 : degree;
      best = std::max(best, degree * kIds + i);
    });
    return {common, best % kIds};
  }

  // Invariant: candidates and excluded are all adjacent to every node of `clique`; there are candidates.
  void search(Bitset<W> clique, Bitset<W> candidates, Excluded excluded) {
    pace_->step();
    const int size = candidates.count();
    if (clique.count() + size < min_local_) return;

    const auto [common, pivot] = choose(candidates, size);
    if (!(common & excluded).empty()) return;
    const Bitset<W> universal = candidates & common.near;
    if (!universal.empty()) {
      clique = clique | universal;
      candidates = candidates - universal;
      if (candidates.empty()) return sink_->put(table_, clique);
      universal.for_each([&](int i) { excluded = excluded & rows_[i]; });
    }

    Bitset<W> pending = (candidates - rows_[pivot].near).with(pivot);
    int fewest = pending.count();
    auto consider = [&](const Bitset<W>& row) {
      const Bitset<W> apart = candidates - row;
      const int branches = apart.count();
      if (branches < fewest) {
        fewest = branches;
        pending = apart;
      }
    };
    excluded.near.for_each([&](int i) { consider(rows_[i].near); });
    Width<1>().for_each(&excluded.outer, [&](int x) { consider(listed_[first_numbered_ + idx(x)]); });
    pending.for_each([&](int i) {
      candidates.remove(i);
      branch(clique.with(i), candidates & rows_[i].near, excluded & rows_[i]);
      excluded.near.add(i);
    });
  }

  // As search, but there may be no candidates, and few are dealt with at once.
  void branch(const Bitset<W>& clique, const Bitset<W>& candidates, const Excluded& excluded) {
    if (candidates.empty()) {
      if (excluded.empty()) sink_->put(table_, clique);
      return;
    }
    const int one = candidates.first();
    const Excluded near_one = excluded & rows_[one];
    Bitset<W> others = candidates;
    others.remove(one);
    if (others.empty()) {
      if (near_one.empty()) sink_->put(table_, clique.with(one));
      return;
    }
    const int two = others.first();
    others.remove(two);
    if (others.empty()) {
      if (rows_[one].near.has(two)) {
        if ((near_one & rows_[two]).empty()) sink_->put(table_, clique.with(one).with(two));
      } else {
        if (near_one.empty()) sink_->put(table_, clique.with(one));
        if ((excluded & rows_[two]).empty()) sink_->put(table_, clique.with(two));
      }
      return;
    }
    if constexpr (W > 1) {
      if (hand_down(clique, candidates, excluded)) return;
    }
    search(clique, candidates, excluded);
  }

  // Gives a branch to the narrower search if it is small enough for that, and large enough to be worth it.
  bool hand_down(const Bitset<W>& clique, const Bitset<W>& candidates, const Excluded& excluded) {
    if (!worth_renaming(clique, candidates)) return false;
    narrower_->template take_over<W>(table_, rows_, clique, candidates, min_local_, [&](auto&& take) {
      excluded.near.for_each([&](int i) { take(rows_[i].near); });
      Width<1>().for_each(&excluded.outer, [&](int x) { take(listed_[first_numbered_ + idx(x)]); });
    });
    return true;
  }
  bool hand_down(const Bitset<W>& clique, const Bitset<W>& candidates, const Bitset<W>& near, std::size_t first) {
    if (!worth_renaming(clique, candidates)) return false;
    narrower_->template take_over<W>(table_, rows_, clique, candidates, min_local_, [&](auto&& take) {
      near.for_each([&](int i) { take(rows_[i].near); });
      for (std::size_t x = first; x < listed_.size(); ++x) take(listed_[x]);
    });
    return true;
  }
  static bool worth_renaming(const Bitset<W>& clique, const Bitset<W>& candidates) {
    const int size = candidates.count();
    return size >= kWorthRenaming && size + clique.count() <= kIds / 2;
  }

  // As search, with the problem's excluded nodes from `first` on in listed_, and those that were candidates in `near`.
  void search_listed(Bitset<W> clique, Bitset<W> candidates, Bitset<W> near, std::size_t first) {
    if constexpr (W > 1) {
      if (hand_down(clique, candidates, near, first)) return;
    }
    if (listed_.size() - first <= kWordBits) return search(clique, candidates, number_listed(candidates, near, first));
    const std::size_t last = listed_.size();
    pace_->step();
    const int size = candidates.count();
    if (clique.count() + size < min_local_) return;

    const auto [common, pivot] = choose(candidates, size);
    if (!(common.near & near).empty()) return;
    const Bitset<W> universal = candidates & common.near;
    if (!universal.empty()) {
      clique = clique | universal;
      candidates = candidates - universal;
      if (candidates.empty()) return sink_->put(table_, clique);
      universal.for_each([&](int i) { near = near & rows_[i].near; });
    }

    Bitset<W> pending = (candidates - rows_[pivot].near).with(pivot);
    pending.for_each([&](int i) {
      candidates.remove(i);
      if (list_for(universal.with(i), candidates & rows_[i].near, first, last)) {
        const Bitset<W> next = candidates & rows_[i].near;
        if (next.empty()) {
          if ((near & rows_[i].near).empty()) sink_->put(table_, clique.with(i));
        } else {
          search_listed(clique.with(i), next, near & rows_[i].near, last);
        }
      }
      listed_.truncate(last);
      near.add(i);
    });
  }

  // Lists anew those of [first, last) that are adjacent to all of `taken` and to some of `candidates`.
  // False if one is adjacent to all of them.
  bool list_for(const Bitset<W>& taken, const Bitset<W>& candidates, std::size_t first, std::size_t last) {
    pace_->step((last - first) / 8);
    Bitset<W>* place = listed_.room(last - first);
    const Bitset<W>* const begin = place;
    for (std::size_t x = first; x < last; ++x) {
      const Bitset<W>& row = listed_[x];
      if (!((row & taken) == taken)) continue;
      const Bitset<W> rest = row & candidates;
      if (rest == candidates) return false;
      *place = rest;
      place += !rest.empty();
    }
    listed_.commit(static_cast<std::size_t>(place - begin));
    return true;
  }

  Excluded number_listed(const Bitset<W>& candidates, const Bitset<W>& near, std::size_t first) {
    candidates.for_each([&](int i) { rows_[i].outer = 0; });
    first_numbered_ = first;
    Word bit = 1;
    Word all = 0;
    for (std::size_t x = first; x < listed_.size(); ++x, bit <<= 1) {
      all |= bit;
      listed_[x].for_each([&](int i) { rows_[i].outer |= bit; });
    }
    return {near, all};
  }

  static constexpr int kIds = W * kWordBits;
  static constexpr int kWorthRenaming = 8;

  Sink* sink_;
  Pace* pace_;
  Narrower* narrower_;
  NodeTable table_{};
  int min_local_ = 0;
  Charged<Bitset<W>> listed_;
  std::size_t first_numbered_ = 0;  // in listed_
  std::array<Row, kIds> rows_;
  std::array<Node, kIds> nodes_{};  // of a branch taken over
};

template <typename Sink>
class SmallSearch<0, Sink> {};

}  // namespace cliquepool::listing
