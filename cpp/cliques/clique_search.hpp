// Chooses the search for a local problem by its size.
#pragma once

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "cliques/local_problem.hpp"
#include "cliques/numbered_search.hpp"
#include "cliques/row_search.hpp"

namespace cliquepool::listing {

// The searches of 64, 128 and 256 local ids. Each hands branches over to the next narrower one.
template <typename Sink>
class FixedWidthSearches {
 public:
  FixedWidthSearches(Sink& sink, Budget& budget, Pace& pace)
      : one_(sink, budget, pace, nullptr),
        two_(sink, budget, pace, &one_.rows),
        four_(sink, budget, pace, &two_.rows) {}

  // Calls use(search) with the narrowest search that holds `ids` local ids. False if there is none.
  template <typename Use>
  bool use_narrowest(int ids, Use&& use) {
    if (ids <= kWordBits) {
      use(one_.rows);
    } else if (ids <= 2 * kWordBits) {
      use(two_.rows);
    } else if (ids <= 4 * kWordBits) {
      use(four_.rows);
    } else {
      return false;
    }
    return true;
  }

 private:
  template <int kWords>
  struct Searches {
    NumberedSearch<kWords, Sink> numbered;
    RowSearch<kWords, Sink> rows;

    Searches(Sink& sink, Budget& budget, Pace& pace, typename NumberedSearch<kWords, Sink>::Narrower* narrower)
        : numbered(sink, pace, narrower), rows(sink, budget, pace, numbered) {}
  };

  Searches<1> one_;
  Searches<2> two_;
  Searches<4> four_;
};

// Finds the maximal cliques of local problems of any size and puts them into a sink.
template <typename Sink>
class CliqueSearch {
 public:
  CliqueSearch(Sink& sink, Budget& budget, Pace& pace) : fixed_(sink, budget, pace), any_(sink, budget, pace, fixed_) {}

  // Cliques of fewer than `min_size` nodes need not be found.
  void run(const LocalProblem& problem, int min_size) {
    const auto run_fixed = [&](auto& search) { search.run(problem, min_size); };
    if (!fixed_.use_narrowest(problem.words * kWordBits, run_fixed)) any_.run(problem, min_size);
  }

 private:
  FixedWidthSearches<Sink> fixed_;
  RowSearch<0, Sink> any_;
};

}  // namespace cliquepool::listing
