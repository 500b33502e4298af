// Thrown on invalid input; the message says what was expected and what was got.
#pragma once

#include <stdexcept>

namespace cliquepool {

class GraphError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace cliquepool
