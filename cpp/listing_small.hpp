// Bron-Kerbosch with pivoting on a local problem whose sets fit in a few words.
#pragma once

#include <array>
#include <cstddef>

#include "budget.hpp"
#include "listing_bits.hpp"
#include "listing_local.hpp"
#include "listing_sink.hpp"

namespace cliquepool::listing {

// W words for local ids, V words for excluded nodes. An excluded node is a bit in the rows of the candidates it is
// adjacent to, so that one `and` narrows all of them at once; those that are adjacent to every
// candidate are what is left of an `and` over the candidates' rows.
template <std::size_t W, std::size_t V, typename Sink>
class SmallSearch {
 public:
  static constexpr std::size_t kMaxSize = W * kWordBits;
  static constexpr std::size_t kMaxExcluded = V * kWordBits;

  SmallSearch(Sink& sink, Pace& pace) : sink_(&sink), pace_(&pace) {}

  void run(const LocalProblem& problem, std::size_t min_size) {
    table_ = problem.table();
    min_local_ = min_size - std::min(min_size, problem.beside.size());
    for (std::size_t i = 0; i < problem.size; ++i) rows_[i] = {load<W>(problem.row(i)), Bits<V>::none()};
    Excluded excluded{Bits<W>::none(), Bits<V>::none()};
    for (std::size_t x = 0; x < problem.num_excluded; ++x) {
      excluded.outer.add(x);
      for_each_bit(problem.excluded_row(x), W, [&](std::size_t i) { rows_[i].outer.add(x); });
    }
    search(load<W>(problem.taken.data()), load<W>(problem.candidates.data()), excluded);
  }

 private:
  // Nodes by local id, and excluded nodes of the problem by number.
  struct Excluded {
    Bits<W> near;
    Bits<V> outer;

    bool empty() const { return near.empty() && outer.empty(); }
    friend Excluded operator&(const Excluded& a, const Excluded& b) { return {a.near & b.near, a.outer & b.outer}; }
  };
  using Row = Excluded;

  // Invariant: candidates and excluded are all adjacent to every node of `clique`; candidates is not empty.
  void search(Bits<W> clique, Bits<W> candidates, Excluded excluded) {
    pace_->step();
    const std::size_t size = candidates.size();
    if (clique.size() + size < min_local_) return;

    Excluded covering = excluded;
    std::size_t pivot = 0;
    std::size_t most = 0;
    std::size_t universal = 0;
    Bits<W> everywhere{};
    for_each_bit(candidates.word, W, [&](std::size_t i) {
      covering = covering & rows_[i];
      const std::size_t degree = (rows_[i].near & candidates).size();
      if (degree + 1 == size) {
        everywhere.add(i);
        ++universal;
      } else if (degree >= most) {
        most = degree;
        pivot = i;
      }
    });
    if (!covering.empty()) return;
    if (universal > 0) {
      clique = clique | everywhere;
      candidates = candidates.without(everywhere);
      if (candidates.empty()) {
        sink_->put(table_, clique);
        return;
      }
      for_each_bit(everywhere.word, W, [&](std::size_t i) { excluded = excluded & rows_[i]; });
    }

    for_each_bit(candidates.without(rows_[pivot].near).word, W, [&](std::size_t i) {
      const Bits<W> next = candidates & rows_[i].near;
      const Excluded barred = excluded & rows_[i];
      if (next.empty()) {
        if (barred.empty()) sink_->put(table_, clique.with(i));
      } else {
        search(clique.with(i), next, barred);
      }
      candidates.drop(i);
      excluded.near.add(i);
    });
  }

  Sink* sink_;
  Pace* pace_;
  NodeTable table_{};
  std::size_t min_local_ = 0;
  std::array<Row, kMaxSize> rows_;
};

}  // namespace cliquepool::listing
