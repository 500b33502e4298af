// Merging of sorted lists that do not fit into memory together.
#pragma once

#include <span>
#include <vector>

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Merges runs of lists, each sorted lexicographically, block by block. The runs belong to the caller, and may be mapped
// from files, which are read from the first list to the last.
class RunMerger {
 public:
  explicit RunMerger(std::vector<RaggedView> runs);

  // Returns the next lists in order: as many as have `most_members` members together, but at least one. None at the
  // end. The memory of the result stays charged to the budget.
  Ragged take(std::size_t most_members, Budget& budget);

 private:
  struct Head {
    std::span<const Node> list;
    std::size_t run;
  };

  void push_next(std::size_t run);

  std::vector<RaggedView> runs_;
  std::vector<Offset> next_;  // list of each run
  std::vector<Head> heads_;   // a heap with the least list on top
};

}  // namespace cliquepool
