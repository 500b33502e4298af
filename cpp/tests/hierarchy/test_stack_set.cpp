#include "hierarchy/stack_set.hpp"

#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

TEST(stack_sets_insert_once_and_truncate_to_an_earlier_state) {
  Budget budget;
  StackSet set;
  {
    const ChargeScope scope(budget, set);
    set.reset(10);
    CHECK(set.insert(3) && set.insert(7) && set.insert(0));
    CHECK(!set.insert(7));
    CHECK(check::equal(set.members(), std::vector<Node>{3, 7, 0}));
    set.truncate(1);
    CHECK(check::equal(set.members(), std::vector<Node>{3}));
    CHECK(set.insert(7) && !set.insert(3));
    set.reset(4);
    CHECK(set.size() == 0);
    CHECK(set.insert(3));
  }
  CHECK(budget.bytes() == 0);
}
