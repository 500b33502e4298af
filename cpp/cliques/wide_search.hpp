// The same search on sets of any number of words, until a branch is small enough for SmallSearch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "cliques/local_problem.hpp"
#include "cliques/sink.hpp"

namespace cliquepool::listing {

// Keeps its own stack, for a clique can be deeper than a thread's. An excluded node is the set of candidates it is
// adjacent to; it leaves when that is empty, and a branch ends when that is all of them.
// small(problem) solves a branch once it has few candidates.
template <typename Sink, typename Small>
class WideSearch {
 public:
  WideSearch(Sink& sink, Small& small, Budget& budget)
      : sink_(&sink),
        small_(&small),
        pace_(budget),
        sets_(budget),
        excluded_(budget),
        clique_(budget),
        branch_(budget) {}

  void run(const LocalProblem& problem, std::size_t min_size) {
    problem_ = &problem;
    words_ = problem.words;
    min_size_ = min_size;
    sets_.truncate(0);
    excluded_.truncate(0);
    clique_.truncate(0);
    frames_.clear();

    width().for_each(problem.taken.data(), [&](int i) { clique_.push_back(i); });
    Word* const candidates = push_sets();
    std::copy_n(problem.candidates.data(), words_, candidates);
    const std::size_t rows = problem.num_excluded * words_;
    std::copy_n(problem.excluded.data(), rows, excluded_.room(rows));
    excluded_.commit(rows);
    frames_.push_back({0, 0});
    open();
    while (!frames_.empty()) advance();
  }

 private:
  struct Frame {
    std::size_t excluded_begin;  // first row, the last is the end of the stack or the next frame's first
    std::size_t clique_size;     // before the branch
  };

  // The sets of a frame: candidates left, those still to branch on, those branched on.
  Word* push_sets() {
    Word* const place = sets_.room(3 * words_);
    std::fill_n(place, 3 * words_, Word{0});
    sets_.commit(3 * words_);
    return place;
  }
  Word* candidates_of(std::size_t depth) { return sets_.data() + 3 * words_ * depth; }
  Word* pending_of(std::size_t depth) { return candidates_of(depth) + words_; }
  Word* done_of(std::size_t depth) { return candidates_of(depth) + 2 * words_; }
  std::size_t depth() const { return frames_.size() - 1; }

  Width<0> width() const { return Width<0>(static_cast<int>(words_)); }
  std::size_t size_of(const Word* set) const { return idx(width().count(set)); }
  std::size_t common(const Word* a, const Word* b) const { return idx(width().count_common(a, b)); }

  void close() {
    const Frame frame = frames_.back();
    frames_.pop_back();
    excluded_.truncate(frame.excluded_begin * words_);
    clique_.truncate(frame.clique_size);
    sets_.truncate(sets_.size() - 3 * words_);
  }

  // Takes universal candidates, chooses a pivot and what to branch on; closes the frame if nothing is left to do.
  // Expects candidates, and no excluded row that is empty or covers them.
  void open() {
    Word* const candidates = candidates_of(depth());
    const std::size_t size = size_of(candidates);
    if (clique_.size() + problem_->beside.size() + size < min_size_) return close();

    std::size_t pivot_degree = 0;
    const Word* pivot = nullptr;
    const std::size_t old_clique = clique_.size();
    width().for_each(candidates, [&](int i) {
      const std::size_t degree = common(problem_->row(idx(i)), candidates);
      if (degree + 1 == size) {
        clique_.push_back(i);
      } else if (pivot == nullptr || degree > pivot_degree) {
        pivot_degree = degree;
        pivot = problem_->row(idx(i));
      }
    });
    pace_.step(size * words_ / 8);
    const auto universal = clique_.span().subspan(old_clique);
    if (universal.size() == size) {
      emit();
      return close();
    }
    if (!universal.empty()) take_universal(universal);

    if (hand_over()) return close();
    for (std::size_t x = frames_.back().excluded_begin; x < excluded_.size() / words_; ++x) {
      const Word* const row = excluded_.data() + x * words_;
      const std::size_t degree = common(row, candidates) + universal.size();
      if (degree > pivot_degree) {
        pivot_degree = degree;
        pivot = row;
      }
    }
    Word* const pending = pending_of(depth());
    for (std::size_t k = 0; k < words_; ++k) pending[k] = candidates[k] & ~pivot[k];
  }

  // Excluded nodes that are not adjacent to all of `universal` leave. None can cover what is left of the
  // candidates, for it would have covered them before.
  void take_universal(std::span<const Node> universal) {
    Word* const candidates = candidates_of(depth());
    const std::size_t begin = frames_.back().excluded_begin;
    std::size_t kept = begin;
    for (const Node i : universal) clear_bit(candidates, i);
    for (std::size_t x = begin; x < excluded_.size() / words_; ++x) {
      const Word* const row = excluded_.data() + x * words_;
      const bool stays = std::all_of(universal.begin(), universal.end(), [&](Node i) { return test_bit(row, i); });
      if (!stays) continue;
      Word* const place = excluded_.data() + kept * words_;
      Word any = 0;
      for (std::size_t k = 0; k < words_; ++k) any |= place[k] = row[k] & candidates[k];
      if (any != 0) ++kept;
    }
    pace_.step((excluded_.size() - begin * words_) / 8);
    excluded_.truncate(kept * words_);
  }

  // One step of the deepest frame: its next branch, or its end.
  void advance() {
    const std::size_t here = depth();
    Word* const pending = pending_of(here);
    const int i = width().first(pending);
    pace_.step(1 + words_ / 8);
    if (i < 0) return close();

    clear_bit(pending, i);
    branch(here, i);
  }

  void branch(std::size_t here, int i) {
    const std::size_t excluded_begin = frames_[here].excluded_begin;
    const std::size_t excluded_end = excluded_.size() / words_;
    const std::size_t clique_size = clique_.size();
    frames_.push_back({excluded_end, clique_size});
    push_sets();
    Word* const candidates = candidates_of(here);
    Word* const next = candidates_of(here + 1);
    const Word* const row = problem_->row(idx(i));
    Word any = 0;
    for (std::size_t k = 0; k < words_; ++k) any |= next[k] = candidates[k] & row[k];
    clique_.push_back(i);

    bool alive = true;
    for (std::size_t x = excluded_begin; alive && x < excluded_end; ++x) {
      if (test_bit(excluded_.data() + x * words_, i)) alive = exclude(x);
    }
    pace_.step((excluded_end - excluded_begin) * words_ / 16);
    const Word* const done = done_of(here);
    for (std::size_t k = 0; alive && k < words_; ++k) {
      for (Word left = done[k] & row[k]; alive && left != 0; left &= left - 1) {
        alive = exclude_candidate(static_cast<int>(k) * kWordBits + std::countr_zero(left));
      }
    }
    clear_bit(candidates, i);
    set_bit(done_of(here), i);

    if (!alive) return close();
    if (any == 0) {
      emit();
      return close();
    }
    open();
  }

  // Adds row x of the frames above, or a candidate branched on, to the excluded nodes of the deepest frame.
  // False if it is adjacent to all candidates there: that ends the branch.
  bool exclude(std::size_t x) {
    Word* const place = excluded_.room(words_);
    return exclude(excluded_.data() + x * words_, place);
  }
  bool exclude_candidate(int i) { return exclude(problem_->row(idx(i)), excluded_.room(words_)); }
  bool exclude(const Word* row, Word* place) {
    const Word* const candidates = candidates_of(depth());
    if (width().contains(row, candidates)) return false;
    Word any = 0;
    for (std::size_t k = 0; k < words_; ++k) any |= place[k] = row[k] & candidates[k];
    if (any != 0) excluded_.commit(words_);
    return true;
  }

  void emit() {
    branch_.beside.clear();
    for (const Node i : clique_.span()) branch_.beside.push_back(problem_->nodes[idx(i)]);
    branch_.beside.append(problem_->beside.span());
    std::sort(branch_.beside.begin(), branch_.beside.end());
    sink_->put(branch_.beside.span());
    pace_.step(clique_.size() / 4);
  }

  // Gives the deepest frame to the small search if it can take it, under new local ids.
  bool hand_over() {
    const Word* const candidates = candidates_of(depth());
    const std::size_t begin = frames_.back().excluded_begin;
    const std::size_t num_excluded = excluded_.size() / words_ - begin;
    const std::size_t size = size_of(candidates);
    if (Small::words_for_size(size) == 0) return false;

    const bool with_clique = Small::words_for_size(size + clique_.size()) == Small::words_for_size(size);
    ids_.clear();
    width().for_each(candidates, [&](int i) { ids_.push_back(i); });
    if (with_clique) {
      ids_.append(clique_.span());
      std::sort(ids_.begin(), ids_.end());
    }
    branch_.reset(ids_.size(), Small::words_for_size(ids_.size()));
    if (!with_clique) {
      for (const Node i : clique_.span()) branch_.beside.push_back(problem_->nodes[idx(i)]);
    }
    branch_.beside.append(problem_->beside.span());
    std::sort(branch_.beside.begin(), branch_.beside.end());

    new_id_.resize(problem_->size);
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      const Node old = ids_[i];
      branch_.nodes[i] = problem_->nodes[idx(old)];
      new_id_[idx(old)] = static_cast<Node>(i);
      set_bit((test_bit(candidates, old) ? branch_.candidates : branch_.taken).data(), static_cast<int>(i));
    }
    branch_.rows.resize(branch_.size * branch_.words);
    std::fill_n(branch_.rows.data(), branch_.rows.size(), Word{0});
    Width<0>(static_cast<int>(branch_.words)).for_each(branch_.candidates.data(), [&](int i) {
      rename(problem_->row(idx(ids_[idx(i)])), candidates, branch_.row(idx(i)));
    });
    branch_.num_excluded = num_excluded;
    branch_.excluded.resize(num_excluded * branch_.words);
    std::fill_n(branch_.excluded.data(), branch_.excluded.size(), Word{0});
    for (std::size_t x = 0; x < num_excluded; ++x) {
      rename(excluded_.data() + (begin + x) * words_, candidates, branch_.excluded.data() + x * branch_.words);
    }
    pace_.step((branch_.size + num_excluded) * words_ / 8);
    (*small_)(branch_);
    return true;
  }
  void rename(const Word* row, const Word* candidates, Word* renamed) const {
    for (std::size_t k = 0; k < words_; ++k) {
      for (Word left = row[k] & candidates[k]; left != 0; left &= left - 1) {
        set_bit(renamed, new_id_[k * kWordBits + idx(std::countr_zero(left))]);
      }
    }
  }

  Sink* sink_;
  Small* small_;
  Pace pace_;
  const LocalProblem* problem_ = nullptr;
  std::size_t words_ = 0;
  std::size_t min_size_ = 0;
  std::vector<Frame> frames_;
  Charged<Word> sets_;
  Charged<Word> excluded_;
  Charged<Node> clique_;  // local ids
  LocalProblem branch_;
  Buffer<Node> ids_;     // of the branch handed over, in the problem's ids
  Buffer<Node> new_id_;  // their inverse
};

}  // namespace cliquepool::listing
