#include "graph/compact_ids.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

namespace {

using Ids = std::vector<std::int64_t>;

// Compares with sorting and binary search.
template <typename Id>
void check_compaction_of(const std::vector<Id>& ids) {
  std::vector<Id> distinct = ids;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());

  std::vector<Id> ranks = ids;
  Budget budget;
  const CompactIds result = compact_ids<Id>(ranks, budget);
  CHECK(idx(result.num_nodes) == distinct.size());
  for (std::size_t i = 0; i < ids.size(); ++i) CHECK(distinct[idx(ranks[i])] == ids[i]);
  const bool are_ranks = distinct.empty() || (distinct.front() == 0 && idx(distinct.back()) == distinct.size() - 1);
  CHECK(result.labels.has_value() == !are_ranks);
  if (result.labels) CHECK(check::equal(result.labels->span(), distinct));
}

void check_compaction(const Ids& ids) {
  check_compaction_of(ids);
  std::vector<std::int32_t> narrow;
  for (const std::int64_t id : ids) narrow.push_back(static_cast<std::int32_t>(id));
  check_compaction_of(narrow);
}

}  // namespace

TEST(compact_ids_ranks_ids_that_lie_close_together) {
  check_compaction({});
  check_compaction({0, 1, 2});
  check_compaction({5});
  check_compaction({3, 1, 3, 0});
  check_compaction({100000, 100002, 100000});
  check_compaction({-3, 2, -3, 7});
}

TEST(compact_ids_ranks_ids_that_lie_far_apart) {
  constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
  check_compaction({kHighest, kLowest, 0, kHighest});
  check_compaction({0, kHighest});
  check_compaction({kHighest - 1, kHighest});
  std::mt19937_64 random(2);
  Ids ids(20000);
  for (std::int64_t& id : ids) id = static_cast<std::int64_t>(random() >> 1);
  ids.insert(ids.end(), ids.begin(), ids.begin() + 5000);
  check_compaction(ids);
  for (std::int64_t& id : ids) id %= 1000003;  // many repeats
  check_compaction(ids);
}

TEST(compact_ids_charges_the_labels_alone_once_it_is_done) {
  for (const std::int64_t step : {std::int64_t{3}, std::int64_t{1} << 40}) {
    Ids ids(1000);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int64_t>(i % 100) * step;
    Budget budget;
    const CompactIds result = compact_ids<std::int64_t>(ids, budget);
    CHECK(result.num_nodes == 100);
    CHECK(budget.bytes() == 100 * static_cast<std::int64_t>(sizeof(std::int64_t)));
  }
}
