// Matrix Market: a sparse square matrix, whose non-zero entries are the edges.
#include "reading/reading.hpp"
#include "reading/text_fields.hpp"

namespace cliquepool {
namespace {

class MatrixMarketParser final : public GraphParser {
 protected:
  void parse_line(std::string_view line) override {
    if (line_ == 1) return parse_banner(line);
    if (line.starts_with('%')) return;
    TextFields fields(line);
    const std::string_view first = fields.next();
    if (first.empty()) return;
    if (size_line_ == 0) return parse_size(first, fields);
    parse_entry(first, fields);
  }

  NodeIds node_ids(Budget& /*budget*/) override {
    if (line_ == 1) fail(kBanner, "the end of the file");
    if (size_line_ == 0) fail("a line with the numbers of rows, columns and entries", "the end of the file");
    if (entries_ != num_entries_) {
      fail(std::to_string(num_entries_) + " entries before it, as line " + std::to_string(size_line_) + " says",
           std::to_string(entries_));
    }
    return {static_cast<Node>(num_nodes_), {}, {}};
  }

 private:
  static constexpr const char* kBanner = "'%%MatrixMarket matrix coordinate FIELD SYMMETRY'";

  void parse_banner(std::string_view line) {
    TextFields fields(line);
    if (!equal_ignoring_case(fields.next(), "%%matrixmarket")) fail(kBanner, quoted_or_end(line));
    const std::string_view object = fields.next();
    if (!equal_ignoring_case(object, "matrix")) fail("'matrix'", quoted_or_end(object));
    const std::string_view layout = fields.next();
    if (!equal_ignoring_case(layout, "coordinate")) fail("a sparse matrix, 'coordinate'", quoted_or_end(layout));

    const std::string_view field = fields.next();
    if (equal_ignoring_case(field, "pattern")) {
      numbers_per_entry_ = 0;
    } else if (equal_ignoring_case(field, "complex")) {
      numbers_per_entry_ = 2;
    } else if (equal_ignoring_case(field, "real") || equal_ignoring_case(field, "integer")) {
      numbers_per_entry_ = 1;
    } else {
      fail("'pattern', 'integer', 'real' or 'complex'", quoted_or_end(field));
    }

    // The graph is undirected, so that all symmetries mean the same.
    const std::string_view symmetry = fields.next();
    if (!equal_ignoring_case(symmetry, "general") && !equal_ignoring_case(symmetry, "symmetric") &&
        !equal_ignoring_case(symmetry, "skew-symmetric") && !equal_ignoring_case(symmetry, "hermitian")) {
      fail("'general', 'symmetric', 'skew-symmetric' or 'hermitian'", quoted_or_end(symmetry));
    }
    expect_end(fields.next(), "the symmetry");
  }

  void parse_size(std::string_view first, TextFields fields) {
    num_nodes_ = integer(first, 0, kMaxNodes, "a number of rows");
    const std::int64_t columns = integer(fields.next(), 0, kMaxNodes, "a number of columns");
    if (columns != num_nodes_) {
      fail("a square matrix", std::to_string(num_nodes_) + " rows and " + std::to_string(columns) + " columns");
    }
    num_entries_ = integer(fields.next(), 0, std::numeric_limits<std::int64_t>::max(), "a number of entries");
    expect_end(fields.next(), "the number of entries");
    size_line_ = line_;
  }

  void parse_entry(std::string_view first, TextFields fields) {
    const std::int64_t row = integer(first, 1, num_nodes_, "a row");
    const std::int64_t column = integer(fields.next(), 1, num_nodes_, "a column");
    bool nonzero = numbers_per_entry_ == 0;
    for (int i = 0; i < numbers_per_entry_; ++i) nonzero |= is_nonzero(fields.next(), "a number");
    expect_end(fields.next(), "the entry");
    if (++entries_ > num_entries_) {
      fail(std::to_string(num_entries_) + " entries, as line " + std::to_string(size_line_) + " says", "one more");
    }
    if (nonzero) pairs_.add(row - 1, column - 1);
  }

  int numbers_per_entry_ = 0;
  std::int64_t num_nodes_ = 0;
  std::int64_t num_entries_ = 0;
  std::int64_t entries_ = 0;    // read so far, including zeros
  std::int64_t size_line_ = 0;  // its line number; 0 before it
};

}  // namespace

std::unique_ptr<GraphParser> make_matrix_market_parser() { return std::make_unique<MatrixMarketParser>(); }

}  // namespace cliquepool
