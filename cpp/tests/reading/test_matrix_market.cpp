#include <string>

#include "tests/check.hpp"
#include "tests/reading/parse_text.hpp"

using namespace cliquepool;
using namespace cliquepool::tests;

TEST(matrix_market_is_read_and_checked) {
  const Read expected{3, {{1, 2}}, true};
  CHECK(read(Format::matrix_market,
             "%%MatrixMarket matrix coordinate real symmetric\n% comment\n3 3 3\n2 1 1.5\n3 2 0\n3 3 2\n") == expected);
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  CHECK(read(Format::matrix_market, banner + "PATTERN General\n3 3 2\n1 2\n2 1\n") == expected);
  CHECK(read(Format::matrix_market, banner + "complex hermitian\n3 3 2\n2 1 0 1\n3 1 0.0 -0e5\n") == expected);
  CHECK(read(Format::matrix_market, banner + "integer skew-symmetric\n3 3 1\n2 1 -7\n") == expected);
  CHECK(read(Format::matrix_market, banner + "real general\n3 3 1\n2 1 1.5D-300\n") == expected);
  CHECK(error_of(Format::matrix_market, "").starts_with("line 1: expected '%%MatrixMarket"));
  CHECK(error_of(Format::matrix_market, "1 1 0\n").starts_with("line 1: expected '%%MatrixMarket"));
  CHECK(error_of(Format::matrix_market, "%%MatrixMarket matrix array real general\n") ==
        "line 1: expected a sparse matrix, 'coordinate', got 'array'");
  CHECK(error_of(Format::matrix_market, banner + "real general\n").find("end of the file") != std::string::npos);
  CHECK(error_of(Format::matrix_market, banner + "real general\n2 3 0\n") ==
        "line 2: expected a square matrix, got 2 rows and 3 columns");
  CHECK(error_of(Format::matrix_market, banner + "real general\n2 2 2\n1 2 1\n") ==
        "line 4: expected 2 entries before it, as line 2 says, got 1");
  CHECK(error_of(Format::matrix_market, banner + "pattern general\n2 2 0\n1 2\n") ==
        "line 3: expected 0 entries, as line 2 says, got one more");
  CHECK(error_of(Format::matrix_market, banner + "real general\n2 2 1\n1 2 nan\n") ==
        "line 3: expected a number, got 'nan'");
  CHECK(error_of(Format::matrix_market, banner + "real general\n2 2 1\n1 2\n") ==
        "line 3: expected a number, got the end of the line");
  CHECK(error_of(Format::matrix_market, banner + "pattern general\n2 2 1\n1 2 1\n") ==
        "line 3: expected the end of the line after the entry, got '1'");
}
