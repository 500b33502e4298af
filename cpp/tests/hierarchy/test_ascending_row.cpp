#include "hierarchy/ascending_row.hpp"

#include <algorithm>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

TEST(rows_are_written_in_ascending_order_without_the_one_left_out) {
  Random random(1);
  Budget budget;
  AscendingRow row;
  for (const Node universe : {1, 64, 65, 5000}) {
    const ChargeScope scope(budget, row);
    row.reset(idx(universe));
    for (const Node size : {1, 2, 24, 25, 300, 5000}) {
      Nodes values = random_order(universe, random);
      values.resize(idx(std::min(size, universe)));
      const Node left_out = values[values.size() / 2];
      Nodes written(values.size());
      written.resize(static_cast<std::size_t>(row.write(values, left_out, written.data()) - written.data()));
      std::erase(values, left_out);
      std::sort(values.begin(), values.end());
      CHECK(written == values);
    }
  }
  CHECK(budget.bytes() == 0);
}
