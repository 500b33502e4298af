#include "pooling/saved_rows.hpp"

#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

TEST(saved_rows_are_loaded_as_they_were) {
  Random random(94);
  Budget budget;
  SavedRows saved;
  for (int i = 0; i < 3; ++i) {
    const ChargeScope scope(budget, saved);
    std::vector<std::vector<Word>> expected(500);
    saved.reset(500, 3);
    for (Node v = 0; v < 500; ++v) {
      CHECK(!saved.has(Rank{v}));
      auto& rows = expected[idx(v)];
      rows.resize(idx(random_between(1, 63, random)));
      const Word vertices = ~Word{0} >> (kWordBits - 1 - static_cast<int>(rows.size()));
      for (Word& row : rows) row = (Word{random()} << 32 | random()) & vertices & ~Word{1};
      saved.save(Rank{v}, rows, static_cast<unsigned>(v) % 3);
    }
    for (Node v = 0; v < 500; ++v) {
      CHECK(saved.has(Rank{v}));
      std::vector<Word> rows(expected[idx(v)].size());
      saved.load(Rank{v}, rows);
      CHECK(rows == expected[idx(v)]);
    }
    saved.drop(Rank{7});
    CHECK(!saved.has(Rank{7}));
    saved.drop_all();
    CHECK(!saved.has(Rank{8}));
    CHECK(budget.bytes() == 0);
  }
  CHECK(budget.bytes() == 0);
}
