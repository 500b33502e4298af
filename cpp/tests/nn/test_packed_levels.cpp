#include "nn/packed_levels.hpp"

#include <vector>

#include "base/errors.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

namespace {

using Numbers = std::vector<Node>;
using Offsets = std::vector<Offset>;

// The path 0 - 1 - 2, pooled once: pools {0, 1} and {1, 2}, joined.
Numbers packed_path() {
  Numbers path{0, 1, 3, 2, 4, 2, 4};
  for (const Numbers& part : {Numbers{1, 0, 2, 1}, Numbers{0, 1, 1, 2}, Numbers{1, 0}, Numbers{0, 1},
                              Numbers{0, 1, 1, 2}, Numbers{0, 0, 1, 1}})
    path.insert(path.end(), part.begin(), part.end());
  path[0] = static_cast<Node>(path.size());
  return path;
}

// A node alone, pooled once.
Numbers packed_dot() { return {9, 1, 1, 1, 0, 0, 1, 0, 0}; }

template <typename T>
bool next_is(const T*& from, const std::vector<T>& expected) {
  const bool equal = std::vector<T>(from, from + expected.size()) == expected;
  from += expected.size();
  return equal;
}

Numbers joined(const Numbers& first, const Numbers& second) {
  Numbers both = first;
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

}  // namespace

TEST(packed_graphs_are_unpacked_one_after_the_other) {
  const UnpackedLevels levels = unpack_levels(joined(packed_path(), joined(packed_dot(), packed_path())));
  CHECK(levels.num_graphs == 3);
  CHECK(levels.num_nodes == Offsets{7, 5});
  CHECK(levels.num_entries == Offsets{8, 4});
  CHECK(levels.num_memberships == Offsets{9});
  const Offset* wide = levels.wide.data();
  CHECK(next_is(wide, Offsets{0, 3, 4, 7}));
  CHECK(next_is(wide, Offsets{0, 1, 3, 4, 4, 5, 7, 8}));
  CHECK(next_is(wide, Offsets{1, 0, 2, 1, 5, 4, 6, 5}));
  CHECK(next_is(wide, Offsets{0, 1, 1, 2, 4, 5, 5, 6}));
  CHECK(next_is(wide, Offsets{0, 2, 3, 5}));
  CHECK(next_is(wide, Offsets{0, 1, 2, 2, 3, 4}));
  CHECK(next_is(wide, Offsets{1, 0, 4, 3}));
  CHECK(next_is(wide, Offsets{0, 1, 3, 4}));
  CHECK(next_is(wide, Offsets{0, 2, 4, 5, 7, 9}));
  CHECK(next_is(wide, Offsets{0, 1, 1, 2, 3, 4, 5, 5, 6}));
  CHECK(next_is(wide, Offsets{0, 0, 1, 1, 2, 3, 3, 4, 4}));
  CHECK(next_is(wide, Offsets{0, 1, 3, 4, 5, 6, 8, 9}));
  CHECK(wide == levels.wide.end());
  const Node* narrow = levels.narrow.data();
  CHECK(next_is(narrow, Numbers{1, 0, 2, 1, 5, 4, 6, 5}));
  CHECK(next_is(narrow, Numbers{1, 0, 4, 3}));
  CHECK(next_is(narrow, Numbers{0, 1, 1, 2, 3, 4, 5, 5, 6}));
  CHECK(next_is(narrow, Numbers{0, 0, 1, 1, 2, 3, 3, 4, 4}));
  CHECK(narrow == levels.narrow.end());
  const Offset* start = levels.entry_start.data();
  CHECK(next_is(start, Offsets{0, 4, 6, 6, 6, 10, 12}));
}

TEST(numbers_that_are_no_packed_graphs_are_refused) {
  const Numbers path = packed_path();
  CHECK(unpack_levels(path).num_graphs == 1);
  CHECK(unpack_levels(Numbers{}).num_graphs == 0);
  for (std::size_t length = 1; length < path.size(); ++length)
    CHECK_THROWS(unpack_levels(std::span(path).first(length)), GraphError);
  for (std::size_t i = 0; i < path.size(); ++i) {
    for (const Node wrong : {Node{-1}, Node{1000}, kMaxNodes}) {
      Numbers broken = path;
      broken[i] = wrong;
      CHECK_THROWS(unpack_levels(broken), GraphError);
    }
  }
  Numbers deeper{11, 2, 0, 0, 0, 0, 0, 0, 0, 0};
  deeper[0] = static_cast<Node>(deeper.size());
  CHECK(unpack_levels(deeper).num_graphs == 1);
  CHECK_THROWS(unpack_levels(joined(path, deeper)), GraphError);
}
