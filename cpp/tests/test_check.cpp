#include <stdexcept>
#include <string>
#include <vector>

#include "tests/check.hpp"

TEST(checks_accept_what_is_true) {
  CHECK(1 + 1 == 2);
  CHECK(std::vector<int>{1, 2}.size() == 2);
}

TEST(throws_sees_the_type_and_its_bases) {
  CHECK_THROWS(std::stoi("not a number"), std::invalid_argument);
  CHECK_THROWS(std::stoi("not a number"), std::logic_error);
}
