#include <string>

#include "tests/check.hpp"
#include "tests/reading/parse_text.hpp"

using namespace cliquepool;
using namespace cliquepool::tests;

TEST(metis_is_read_and_checked) {
  CHECK(read(Format::metis, "% comment\n3 2 11 2\n5 1 2 9\n5 1 1 9 3 1\n1 1 2 1\n") == Read{3, {{1, 2}, {2, 3}}, true});
  CHECK(read(Format::metis, "3 1\n2\n1\n\n") == Read{3, {{1, 2}}, true});
  CHECK(read(Format::metis, "3 1\n2\n1\n") == Read{3, {{1, 2}}, true});       // the last line is empty, and not ended
  CHECK(read(Format::metis, "\n3 1\n\n3\n\n\n") == Read{3, {{2, 3}}, true});  // listed from one side
  CHECK(read(Format::metis, "2 1 100\n7 2\n7 1\n").edges == Edges{{1, 2}});   // sizes
  CHECK(error_of(Format::metis, "").find("end of the file") != std::string::npos);
  CHECK(error_of(Format::metis, "2\n").starts_with("line 1: expected a number of edges"));
  CHECK(error_of(Format::metis, "2 1 2\n") == "line 1: expected a format of up to three digits 0 or 1, got '2'");
  CHECK(error_of(Format::metis, "2 1\n3\n1\n") == "line 2: expected a node id from 1 to 2, got '3'");
  CHECK(error_of(Format::metis, "2 1\n2\n1\n2\n") ==
        "line 4: expected 2 lines of neighbours, as line 1 says, got one more");
  CHECK(error_of(Format::metis, "3 2\n2\n1\n") == "line 4: expected 3 lines of neighbours, as line 1 says, got 2");
  CHECK(error_of(Format::metis, "2 2\n2\n1\n") ==
        "line 4: expected 2 edges, listed from both sides, as line 1 says, got 1 in 2 neighbours");
  CHECK(error_of(Format::metis, "2 1 1\n2 5\n1\n") == "line 3: expected a weight of the edge, got the end of the line");
  CHECK(error_of(Format::metis, "2 1 10\n\n1 1\n") == "line 2: expected a weight of the node, got the end of the line");
}
