#include "pooling/list_order.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

TEST(lists_are_sorted_by_their_ascending_members) {
  Random random(7);
  for (int i = 0; i < 50; ++i) {
    Ragged lists;
    Lists expected;
    for (Node count = random_between(0, 30, random); count > 0; --count) {
      Nodes list = random_order(9, random);
      list.resize(idx(random_between(1, 5, random)));
      lists.append(list);
      std::sort(list.begin(), list.end());
      expected.push_back(list);
    }
    std::sort(expected.begin(), expected.end());
    Budget budget;
    CHECK(lists_of(sorted_lists(lists.view(), budget).view()) == expected);
  }
}
