// METIS: "NODES EDGES [FORMAT [WEIGHTS]]", then a line for each node with its neighbours, ids from 1.
#include <algorithm>

#include "reading/reading.hpp"
#include "reading/text_fields.hpp"

namespace cliquepool {
namespace {

// A node with ten million neighbours has a line of about this length.
constexpr std::size_t kLongestLine = std::size_t{1} << 28;

class MetisParser final : public GraphParser {
 public:
  MetisParser() : GraphParser(kLongestLine) {}

 protected:
  void parse_line(std::string_view line) override {
    if (line.starts_with('%')) return;
    TextFields fields(line);
    const std::string_view first = fields.next();
    if (header_line_ == 0) {
      if (!first.empty()) parse_header(first, fields);
      return;
    }
    if (node_ == num_nodes_) {
      if (!first.empty()) fail(std::to_string(num_nodes_) + " lines of neighbours, " + header_says(), "one more");
      return;
    }
    parse_neighbours(first, fields);
    ++node_;
  }

  NodeIds node_ids(Budget& /*budget*/) override {
    if (header_line_ == 0) fail("a line with the numbers of nodes and edges", "the end of the file");
    return {static_cast<Node>(num_nodes_), {}, {}};
  }

  // Every edge should be in the lines of both its nodes; files that have it in one of them are accepted too. If all
  // edges are present, lines missing at the end are those of nodes without neighbours.
  void check_counts(std::int64_t num_pairs, std::int64_t num_edges) const override {
    if (num_pairs == 2 * num_edges_ || num_edges == num_edges_) return;
    if (node_ < num_nodes_) {
      fail(std::to_string(num_nodes_) + " lines of neighbours, " + header_says(), std::to_string(node_));
    }
    fail(std::to_string(num_edges_) + " edges, listed from both sides, " + header_says(),
         std::to_string(num_edges) + " in " + std::to_string(num_pairs) + " neighbours");
  }

 private:
  std::string header_says() const { return "as line " + std::to_string(header_line_) + " says"; }

  void parse_header(std::string_view first, TextFields fields) {
    num_nodes_ = integer(first, 0, kMaxNodes, "a number of nodes");
    num_edges_ = integer(fields.next(), 0, std::numeric_limits<std::int64_t>::max() / 2, "a number of edges");
    if (const std::string_view format = fields.next(); !format.empty()) parse_format(format, fields);
    header_line_ = line_;
  }

  // Three binary digits: whether nodes have sizes, nodes have weights, edges have weights.
  void parse_format(std::string_view format, TextFields fields) {
    if (format.size() > 3 || format.find_first_not_of("01") != std::string_view::npos) {
      fail("a format of up to three digits 0 or 1", quoted(format));
    }
    const auto flag = [&](std::size_t digit) {  // counted from the right
      return format.size() > digit && format[format.size() - 1 - digit] == '1';
    };
    edges_have_weights_ = flag(0);
    numbers_per_node_ = (flag(2) ? 1 : 0) + (flag(1) ? 1 : 0);
    if (const std::string_view weights = fields.next(); !weights.empty()) {
      const std::int64_t count = integer(weights, 0, kLongestLine, "a number of weights");
      if (flag(1)) numbers_per_node_ += count - 1;
      expect_end(fields.next(), "the number of weights");
    }
  }

  void parse_neighbours(std::string_view field, TextFields fields) {
    for (std::int64_t i = 0; i < numbers_per_node_; ++i, field = fields.next())
      is_nonzero(field, "a weight of the node");
    for (; !field.empty(); field = fields.next()) {
      pairs_.add(node_, integer(field, 1, num_nodes_, "a node id") - 1);
      if (edges_have_weights_) is_nonzero(fields.next(), "a weight of the edge");
    }
  }

  bool edges_have_weights_ = false;
  std::int64_t numbers_per_node_ = 0;
  std::int64_t num_nodes_ = 0;
  std::int64_t num_edges_ = 0;
  std::int64_t header_line_ = 0;  // its line number; 0 before it
  std::int64_t node_ = 0;         // the node of the next line
};

}  // namespace

std::unique_ptr<GraphParser> make_metis_parser() { return std::make_unique<MetisParser>(); }

}  // namespace cliquepool
