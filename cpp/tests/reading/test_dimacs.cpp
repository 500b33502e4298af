#include <string>

#include "tests/check.hpp"
#include "tests/reading/parse_text.hpp"

using namespace cliquepool;
using namespace cliquepool::tests;

TEST(dimacs_is_read_and_checked) {
  const Read expected{4, {{1, 2}, {1, 4}, {2, 3}}, true};
  CHECK(read(Format::dimacs, "c example\np edge 4 3\ne 1 2\ne 2 3\ne 4 1\n") == expected);
  // Both directions listed, each edge counted once.
  CHECK(read(Format::dimacs, "p col 2 1\nn 1 5\ne 1 2\ne 2 1\n").edges == Edges{{1, 2}});
  CHECK(error_of(Format::dimacs, "") == "line 1: expected a line 'p edge NODES EDGES', got the end of the file");
  CHECK(error_of(Format::dimacs, "c\ne 1 2\n").starts_with("line 2: expected a line 'p edge"));
  CHECK(error_of(Format::dimacs, "p edge 3\n") ==
        "line 1: expected a number of edges from 0 to 9223372036854775807, got the end of the line");
  CHECK(error_of(Format::dimacs, "p edge 3 1\ne 1 4\n") == "line 2: expected a node id from 1 to 3, got '4'");
  CHECK(error_of(Format::dimacs, "p edge 3 1\ne 0 1\n") == "line 2: expected a node id from 1 to 3, got '0'");
  CHECK(error_of(Format::dimacs, "p edge 3 2\ne 1 2\n") == "line 3: expected 2 edges before it, as line 1 says, got 1");
  CHECK(error_of(Format::dimacs, "p edge 3 1\ne 1 2 3\n").starts_with("line 2: expected the end of the line"));
  CHECK(error_of(Format::dimacs, "p edge 3 0\np edge 3 0\n").starts_with("line 2: expected one line 'p'"));
  CHECK(error_of(Format::dimacs, "p max 3 0\n") == "line 1: expected 'edge' or 'col' after 'p', got 'max'");
  CHECK(error_of(Format::dimacs, "p edge 2147483648 0\n").starts_with("line 1: expected a number of nodes"));
}
