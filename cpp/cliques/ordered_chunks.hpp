// Concatenates the lists that threads find in chunks of the work.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool::listing {

// The result has the lists of chunk 0 first, then those of chunk 1 and so on, in whatever order the chunks are added.
class OrderedChunks {
 public:
  explicit OrderedChunks(Budget& budget);

  // Thread-safe. The lists are charged to the budget; copying them releases that charge for one of the result.
  void add(std::size_t chunk, Ragged lists);
  // Hands out the result, which stays charged to the budget. All chunks must have been added.
  Ragged take();

 private:
  void append(const Ragged& lists);

  Budget* budget_;
  std::mutex mutex_;
  std::map<std::size_t, Ragged> waiting_;  // for chunks before them
  std::size_t next_ = 0;
  ChargedBuffer<Offset> offsets_;
  ChargedBuffer<Node> members_;
};

}  // namespace cliquepool::listing
