// Bron-Kerbosch with pivoting, the excluded set X kept as rows over the candidates P, for sets of any width.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "cliques/local_problem.hpp"
#include "cliques/numbered_search.hpp"

namespace cliquepool::listing {

template <typename Sink>
class FixedWidthSearches;

// Finds the maximal cliques of a local problem. The number of words of a set is fixed at compile time (kWords > 0) or
// not (kWords = 0). A row is dropped when it is empty, and ends the branch when it holds all candidates.
//
// This search reduces a problem until a faster one can take a branch of it: with a fixed width, NumberedSearch, or a
// RowSearch of half the width; otherwise the RowSearch of the narrowest fixed width that holds the candidates.
//
// The stack is explicit: cliques can have more members than the stack of a thread has room for calls.
template <int kWords, typename Sink>
class RowSearch {
  static constexpr bool kFixed = kWords > 0;

 public:
  using Faster = std::conditional_t<kFixed, NumberedSearch<kWords, Sink>, FixedWidthSearches<Sink>>;

  RowSearch(Sink& sink, Budget& budget, Pace& pace, Faster& faster)
      : sink_(&sink),
        pace_(&pace),
        faster_(&faster),
        first_row_(budget),
        sets_(budget),
        rows_(budget),
        unlabelled_(budget),
        new_id_(budget) {}

  void run(const LocalProblem& problem, int min_size) {
    problem_ = &problem;
    width_ = Width<kWords>(problem.words);
    table_ = problem.table();
    min_size_ = min_size;
    rows_.clear();
    rows_.append(problem.excluded.span());
    if constexpr (kFixed) {
      width_.for_each(problem.candidates.data(), [&](int i) { faster_->set_row(i, Set::load(problem.row(i))); });
    }
    clear_stack();
    push_frame();
    width_.clear(top().clique);
    set_bit(top().clique, problem.self);
    width_.copy(top().candidates, problem.candidates.data());
    search();
  }

  // Finds the cliques of a branch of a wider search. The candidates get new local ids, and the members of the clique
  // too if there is room. row_of(i) is the row of candidate i; each_excluded(visit) calls visit(row) for each excluded
  // node.
  template <int kWider, typename RowOf, typename EachExcluded>
  void take_over(const NodeTable& table, int min_size, Width<kWider> wider, const Word* clique, const Word* candidates,
                 RowOf&& row_of, EachExcluded&& each_excluded) {
    clear_stack();
    push_frame();
    relabel(table, min_size, wider, clique, candidates);
    const Set all = Set::load(top().candidates);
    const auto relabelled = [&](const Word* row) {
      Set result{};
      for (int w = 0; w < wider.words(); ++w) {
        Bitset<1>{row[w] & candidates[w]}.for_each([&](int bit) { result.add(new_id_[idx(w * kWordBits + bit)]); });
      }
      return result;
    };
    wider.for_each(candidates, [&](int i) { faster_->set_row(new_id_[idx(i)], relabelled(row_of(i))); });
    rows_.clear();
    bool maximal = true;
    each_excluded([&](const Word* row) {
      const Set rest = relabelled(row);
      maximal = maximal && !(rest == all);
      rest.store(rows_.reserve_more(kWords));
      rows_.commit(rest.empty() ? 0 : kWords);
    });
    if (maximal) search();
  }

 private:
  using Set = Bitset<kFixed ? kWords : 1>;

  // The state of a branch. Excluded are the nodes of its rows, which end where those of the next branch begin, and
  // `branched`.
  struct Branch {
    Word* clique;
    Word* candidates;
    Word* pending;   // the candidates still to branch on
    Word* branched;  // the candidates branched on; with a fixed width also those of the branches around this one
  };
  static constexpr std::size_t kSetsPerBranch = 4;

  std::size_t words() const { return idx(width_.words()); }
  std::size_t num_rows() const { return rows_.size() / words(); }
  const Word* excluded_row(std::size_t x) const { return rows_.data() + x * words(); }
  // A candidate and those adjacent to it.
  const Word* row(int i) const {
    if constexpr (kFixed) {
      return faster_->row(i).words;
    } else {
      return problem_->row(i);
    }
  }

  Branch at(std::size_t depth) {
    Word* const sets = sets_.data() + depth * kSetsPerBranch * words();
    return {sets, sets + words(), sets + 2 * words(), sets + 3 * words()};
  }
  Branch top() { return at(first_row_.size() - 1); }
  void clear_stack() {
    first_row_.clear();
    sets_.clear();
  }
  // Pointers into other branches are invalid after this.
  void push_frame() {
    first_row_.push_back(first_row_.empty() ? 0 : num_rows());
    sets_.reserve_more(kSetsPerBranch * words());
    sets_.commit(kSetsPerBranch * words());
    width_.clear(top().branched);
  }
  void pop_frame() {
    rows_.truncate(first_row_.back() * words());
    first_row_.pop_back();
    sets_.truncate(sets_.size() - kSetsPerBranch * words());
  }

  void search() {
    if (!open()) pop_frame();
    while (!first_row_.empty()) {
      Word* const pending = top().pending;
      const int i = width_.first(pending);
      pace_->step(1 + words() / 8);
      if (i < 0) {
        pop_frame();
      } else {
        clear_bit(pending, i);
        branch(i);
      }
    }
  }

  // Prepares the branch on top of the stack: chooses the candidates to branch on. False if nothing is left to do.
  // There must be candidates, and no row that is empty or holds all of them.
  bool open() {
    if constexpr (kFixed) {
      if (hand_over()) return false;
    }
    const Branch branch = top();
    const int size = width_.count(branch.candidates);
    if (width_.count(branch.clique) + size < min_size_) return false;
    const int pivot = take_universal(branch, size);
    if (width_.empty(branch.candidates)) {
      sink_->put(table_, width_, branch.clique);
      return false;
    }
    if constexpr (!kFixed) {
      if (hand_over()) return false;
    }
    choose_pending(branch, pivot);
    return true;
  }

  // Moves the candidates adjacent to all others to the clique. Returns the pivot: of the other candidates, the one
  // adjacent to most. Of equals, a fixed width takes the last, as NumberedSearch does.
  int take_universal(const Branch& branch, int size) {
    Word* const universal = branch.pending;  // not in use yet
    width_.clear(universal);
    int pivot = -1;
    int most = 0;
    width_.for_each(branch.candidates, [&](int i) {
      const int degree = width_.count_common(row(i), branch.candidates);
      if (degree == size) {
        set_bit(universal, i);
      } else if (degree > most || (kFixed && degree == most)) {
        most = degree;
        pivot = i;
      }
    });
    pace_->step(idx(size) * words() / 8);
    if (width_.empty(universal)) return pivot;

    width_.unite(branch.clique, universal);
    width_.subtract(branch.candidates, universal);
    width_.for_each(universal, [&](int i) { width_.intersect(branch.branched, branch.branched, row(i)); });
    // None of the rows that stay can hold all candidates that are left: it would have held the universal ones too.
    Word* out = rows_.data() + first_row_.back() * words();
    for (std::size_t x = first_row_.back(); x < num_rows(); ++x) {
      if (!width_.contains(excluded_row(x), universal)) continue;
      width_.intersect(out, excluded_row(x), branch.candidates);
      if (!width_.empty(out)) out += words();
    }
    pace_->step((rows_.size() - first_row_.back() * words()) / 8);
    rows_.truncate(static_cast<std::size_t>(out - rows_.data()));
    return pivot;
  }

  // The candidates not adjacent to the pivot. At a width that is not fixed, branches are so expensive that excluded
  // nodes are tried as pivots too.
  void choose_pending(const Branch& branch, int pivot) {
    const Word* best = row(pivot);
    if constexpr (!kFixed) {
      int most = width_.count_common(best, branch.candidates) - 1;
      for (std::size_t x = first_row_.back(); x < num_rows(); ++x) {
        const int adjacent = width_.count_common(excluded_row(x), branch.candidates);
        if (adjacent <= most) continue;
        most = adjacent;
        best = excluded_row(x);
      }
    }
    width_.copy(branch.pending, branch.candidates);
    width_.subtract(branch.pending, best);
    if (best == row(pivot)) set_bit(branch.pending, pivot);
  }

  // Branches on candidate i of the branch on top of the stack.
  void branch(int i) {
    const std::size_t depth = first_row_.size() - 1;
    const std::size_t rows_begin = first_row_.back();
    const std::size_t rows_end = num_rows();
    push_frame();
    const Branch from = at(depth);
    const Branch to = top();
    clear_bit(from.candidates, i);
    width_.copy(to.clique, from.clique);
    set_bit(to.clique, i);
    width_.intersect(to.candidates, from.candidates, row(i));
    width_.intersect(to.branched, from.branched, row(i));
    const bool maximal = exclude_rows(rows_begin, rows_end, i, to) && exclude_branched(to);
    set_bit(from.branched, i);
    if (!maximal) return pop_frame();
    if (width_.empty(to.candidates)) {
      sink_->put(table_, width_, to.clique);
      return pop_frame();
    }
    if (!open()) pop_frame();
  }

  // Adds those of the rows [begin, end) that hold i to `branch`. False if one holds all candidates.
  bool exclude_rows(std::size_t begin, std::size_t end, int i, const Branch& branch) {
    pace_->step((end - begin) * words() / 16);
    Word* const first = rows_.reserve_more((end - begin) * words());
    Word* out = first;
    for (std::size_t x = begin; x < end; ++x) {
      const Word* const row = excluded_row(x);
      if (!test_bit(row, i)) continue;
      if (width_.contains(row, branch.candidates)) return false;
      width_.intersect(out, row, branch.candidates);
      if (!width_.empty(out)) out += words();
    }
    rows_.commit(static_cast<std::size_t>(out - first));
    return true;
  }

  // False if one of `branched` is adjacent to all candidates. At a width that is not fixed they become rows.
  bool exclude_branched(const Branch& branch) {
    bool maximal = true;
    width_.for_each(branch.branched, [&](int i) {
      maximal = maximal && !width_.contains(row(i), branch.candidates);
      if constexpr (!kFixed) {
        if (!maximal) return;
        Word* const out = rows_.reserve_more(words());
        width_.intersect(out, row(i), branch.candidates);
        rows_.commit(width_.empty(out) ? 0 : words());
      }
    });
    if constexpr (!kFixed) width_.clear(branch.branched);
    return maximal;
  }

  // Gives the branch on top of the stack to a faster search, if one can take it.
  bool hand_over() {
    const Branch branch = top();
    const auto each_excluded = [&](auto&& visit) {
      width_.for_each(branch.branched, [&](int i) { visit(row(i)); });
      for (std::size_t x = first_row_.back(); x < num_rows(); ++x) visit(excluded_row(x));
    };
    if constexpr (kFixed) {
      const Set clique = Set::load(branch.clique);
      const Set candidates = Set::load(branch.candidates);
      if (faster_->hand_over(table_, min_size_, clique, candidates, each_excluded)) return true;
      const std::size_t excluded = num_rows() - first_row_.back();
      if (excluded > Faster::kMaxNumbered) return false;
      faster_->run(table_, min_size_, clique, candidates, Set::load(branch.branched), excluded_row(first_row_.back()),
                   excluded);
      return true;
    } else {
      const int size = width_.count(branch.candidates);
      return faster_->use_narrowest(size, [&](auto& search) {
        pace_->step((idx(size) + num_rows() - first_row_.back()) * words() / 8);
        search.take_over(
            table_, min_size_, width_, branch.clique, branch.candidates, [&](int i) { return row(i); }, each_excluded);
      });
    }
  }

  // Gives new local ids to the nodes of a branch of a wider search, and fills the branch on top of the stack.
  template <int kWider>
  void relabel(const NodeTable& table, int min_size, Width<kWider> wider, const Word* clique, const Word* candidates) {
    const int clique_size = wider.count(clique);
    const bool fits = clique_size + wider.count(candidates) <= kWords * kWordBits;
    table_ = {nodes_.data(), table.unlabelled};
    min_size_ = min_size;
    if (!fits) {
      assert(table.unlabelled.empty());  // a width that is not fixed labels all nodes
      unlabelled_.clear();
      wider.for_each(clique, [&](int i) { unlabelled_.push_back(table.nodes[i]); });
      table_.unlabelled = unlabelled_.span();
      min_size_ = std::max(0, min_size - clique_size);
    }
    Set new_clique{};
    Set new_candidates{};
    int ids = 0;
    new_id_.resize(idx(wider.words() * kWordBits));
    for (int w = 0; w < wider.words(); ++w) {
      Bitset<1>{fits ? clique[w] | candidates[w] : candidates[w]}.for_each([&](int bit) {
        const int i = w * kWordBits + bit;
        (test_bit(candidates, i) ? new_candidates : new_clique).add(ids);
        nodes_[idx(ids)] = table.nodes[i];
        new_id_[idx(i)] = static_cast<std::uint8_t>(ids++);
      });
    }
    new_clique.store(top().clique);
    new_candidates.store(top().candidates);
  }

  Sink* sink_;
  Pace* pace_;
  Faster* faster_;
  const LocalProblem* problem_ = nullptr;
  Width<kWords> width_{0};
  NodeTable table_{};
  int min_size_ = 0;
  // The stack of branches: the first of the rows of each, their sets and their rows.
  ChargedBuffer<std::size_t> first_row_;
  ChargedBuffer<Word> sets_;
  ChargedBuffer<Word> rows_;
  // Of a branch taken over.
  std::array<Node, static_cast<std::size_t>(kWords) * kWordBits> nodes_{};
  ChargedBuffer<Node> unlabelled_;
  ChargedBuffer<std::uint8_t> new_id_;  // of the local ids of the wider search
};

}  // namespace cliquepool::listing
