// DIMACS clique and colouring instances: "p edge NODES EDGES", then "e I J" with ids from 1.
#include "reading/reading.hpp"
#include "reading/text_fields.hpp"

namespace cliquepool {
namespace {

constexpr const char* kProblemLine = "a line 'p edge NODES EDGES'";

class DimacsParser final : public GraphParser {
 protected:
  void parse_line(std::string_view line) override {
    TextFields fields(line);
    const std::string_view kind = fields.next();
    if (kind.empty() || kind.front() == 'c') return;
    if (kind == "e") return parse_edge(fields);
    if (kind == "p") return parse_problem(fields);
    // Some instances add weights, dimensions, coordinates and parameters of nodes: ignored.
    if (problem_line_ > 0 && (kind == "n" || kind == "d" || kind == "v" || kind == "x")) return;
    fail(problem_line_ > 0 ? "a line that begins with 'e' or 'c'" : kProblemLine, quoted(kind));
  }

  NodeIds node_ids(Budget& /*budget*/) override {
    if (problem_line_ == 0) fail(kProblemLine, "the end of the file");
    return {static_cast<Node>(num_nodes_), {}, {}};
  }

  // Some instances list both directions of each edge but count it once.
  void check_counts(std::int64_t num_pairs, std::int64_t num_edges) const override {
    if (num_pairs == num_edges_ || num_edges == num_edges_) return;
    fail(std::to_string(num_edges_) + " edges before it, as line " + std::to_string(problem_line_) + " says",
         std::to_string(num_pairs));
  }

 private:
  void parse_problem(TextFields fields) {
    if (problem_line_ > 0) fail("one line 'p', in line " + std::to_string(problem_line_), "another");
    const std::string_view problem = fields.next();
    if (problem != "edge" && problem != "col") fail("'edge' or 'col' after 'p'", quoted_or_end(problem));
    num_nodes_ = integer(fields.next(), 0, kMaxNodes, "a number of nodes");
    num_edges_ = integer(fields.next(), 0, std::numeric_limits<std::int64_t>::max(), "a number of edges");
    expect_end(fields.next(), "the number of edges");
    problem_line_ = line_;
  }

  void parse_edge(TextFields fields) {
    if (problem_line_ == 0) fail(std::string(kProblemLine) + " before the first edge", "an edge");
    const std::int64_t u = integer(fields.next(), 1, num_nodes_, "a node id");
    const std::int64_t v = integer(fields.next(), 1, num_nodes_, "a node id");
    expect_end(fields.next(), "two node ids");
    pairs_.add(u - 1, v - 1);
  }

  std::int64_t num_nodes_ = 0;
  std::int64_t num_edges_ = 0;
  std::int64_t problem_line_ = 0;  // its line number; 0 before it
};

}  // namespace

std::unique_ptr<GraphParser> make_dimacs_parser() { return std::make_unique<DimacsParser>(); }

}  // namespace cliquepool
