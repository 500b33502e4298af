// The work that a search may still do, counted in words read.
#pragma once

#include <cstdint>

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Also passes the count on to a Pace, so that a long search checks its budget.
class Effort {
 public:
  void begin(std::int64_t words, Pace& pace) {
    left_ = words;
    pace_ = &pace;
  }
  // Allows so much work from now on.
  void renew(std::int64_t words) { left_ = words; }
  void spend(std::int64_t words) {
    left_ -= words;
    pace_->step(idx(words));
  }
  bool spent() const { return left_ < 0; }

 private:
  std::int64_t left_ = 0;
  Pace* pace_ = nullptr;
};

}  // namespace cliquepool
