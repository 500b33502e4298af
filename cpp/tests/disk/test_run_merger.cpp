#include "disk/run_merger.hpp"

#include <algorithm>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

Ragged ragged(const Lists& lists) {
  Ragged result;
  for (const Nodes& list : lists) result.append(list);
  return result;
}

Lists random_lists(Random& random) {
  Lists lists(idx(random_between(0, 12, random)));
  for (Nodes& list : lists)
    for (Node length = random_between(1, 4, random); length > 0; --length) list.push_back(random_between(0, 5, random));
  std::sort(lists.begin(), lists.end());
  return lists;
}

}  // namespace

TEST(merged_runs_are_all_lists_sorted) {
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<Ragged> runs;
    Lists expected;
    for (Node count = random_between(0, 5, random); count > 0; --count) {
      const Lists lists = random_lists(random);
      expected.insert(expected.end(), lists.begin(), lists.end());
      runs.push_back(ragged(lists));
    }
    std::sort(expected.begin(), expected.end());
    std::vector<RaggedView> views;
    for (const Ragged& run : runs) views.push_back(run.view());
    RunMerger merger(views);
    const auto most = idx(random_between(0, 9, random));
    Lists merged;
    for (;;) {
      Budget budget;
      const Ragged block = merger.take(most, budget);
      CHECK(budget.bytes() == block.bytes());
      if (block.size() == 0) break;
      CHECK(block.size() == 1 || block.members.size() <= most);
      const Lists lists = lists_of(block.view());
      merged.insert(merged.end(), lists.begin(), lists.end());
    }
    CHECK(merged == expected);
  }
}

TEST(merging_obeys_the_limit_of_memory) {
  const Ragged run = ragged(Lists(1000, Nodes{1, 2, 3}));
  RunMerger merger({run.view()});
  Budget budget({.max_bytes = 1000});
  CHECK_THROWS(merger.take(1'000'000, budget), BudgetExceeded);
}
