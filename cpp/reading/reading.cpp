#include "reading/reading.hpp"

#include <numeric>
#include <stdexcept>

#include "base/charged_buffer.hpp"
#include "base/errors.hpp"
#include "graph/csr.hpp"
#include "reading/text_fields.hpp"

namespace cliquepool {

void GraphParser::feed(std::string_view bytes) {
  if (finished_) throw std::logic_error("the parser has finished");
  const std::size_t last = bytes.rfind('\n');
  if (last == std::string_view::npos) return carry_over(bytes);
  std::string_view whole = bytes.substr(0, last + 1);
  if (!carry_.empty()) {
    const std::size_t first = whole.find('\n');
    carry_over(whole.substr(0, first + 1));
    whole.remove_prefix(first + 1);
    parse_whole_lines(carry_);
    carry_.clear();
  }
  if (!whole.empty()) parse_whole_lines(whole);
  carry_over(bytes.substr(last + 1));
}

// Parses the last line, if it has no newline.
void GraphParser::end_input() {
  if (finished_) throw std::logic_error("the parser has finished");
  finished_ = true;
  if (!carry_.empty()) {
    carry_ += '\n';
    parse_whole_lines(carry_);
    carry_ = {};
  }
  ++line_;  // errors on something missing name the line after the last
}

NodeIds GraphParser::finish_ids(Budget& budget) {
  end_input();
  const ScopedCharge held(budget, bytes());
  return node_ids(budget);
}

LabelledGraph GraphParser::finish(Budget& budget) {
  end_input();
  const ScopedCharge held(budget, bytes());
  LabelledGraph result = assemble(budget);
  pairs_ = {};
  return result;
}

void GraphParser::parse_whole_lines(std::string_view lines) {
  if (!begun_) {
    begun_ = true;
    if (lines.starts_with("\xef\xbb\xbf")) lines.remove_prefix(3);
    if (lines.starts_with("\xff\xfe") || lines.starts_with("\xfe\xff")) {
      ++line_;
      fail("text in ASCII or UTF-8", "the byte order mark of UTF-16");
    }
  }
  parse_lines(lines);
}

void GraphParser::carry_over(std::string_view part) {
  if (carry_.size() + part.size() > longest_line_) {
    ++line_;
    fail("lines of text", "more than " + std::to_string(longest_line_) + " bytes without a newline");
  }
  carry_ += part;
}

void GraphParser::parse_lines(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_;
    parse_line(line);
  }
}

LabelledGraph GraphParser::assemble(Budget& budget) {
  const Node num_nodes = node_ids(budget).num_nodes.value();
  LabelledGraph result{build_graph<Node>(pairs_.narrow().span(), num_nodes, budget), {}, {}};
  ChargedBuffer<std::int64_t> labels(budget, idx(num_nodes));
  std::iota(labels.begin(), labels.end(), std::int64_t{1});
  result.labels = labels.take();
  check_counts(static_cast<std::int64_t>(pairs_.size()), result.graph.view().num_edges());
  return result;
}

void GraphParser::fail(const std::string& expected, const std::string& got) const {
  throw GraphError("line " + std::to_string(line_) + ": expected " + expected + ", got " + got);
}

std::int64_t GraphParser::integer(std::string_view field, std::int64_t lowest, std::int64_t highest,
                                  const char* what) const {
  const std::optional<std::int64_t> value = parse_digits(field);
  if (!value || *value < lowest || *value > highest) {
    fail(std::string(what) + " from " + std::to_string(lowest) + " to " + std::to_string(highest),
         quoted_or_end(field));
  }
  return *value;
}

bool GraphParser::is_nonzero(std::string_view field, const char* what) const {
  const Number number = parse_number(field);
  if (number == Number::none) fail(what, quoted_or_end(field));
  return number == Number::nonzero;
}

void GraphParser::expect_end(std::string_view field, const char* what) const {
  if (!field.empty()) fail(std::string("the end of the line after ") + what, quoted(field));
}

std::unique_ptr<GraphParser> make_parser(Format format, const EdgeListOptions& options) {
  switch (format) {
    case Format::edge_list:
      return make_edge_list_parser(false, options);
    case Format::csv:
      return make_edge_list_parser(true, options);
    case Format::dimacs:
      return make_dimacs_parser();
    case Format::matrix_market:
      return make_matrix_market_parser();
    case Format::metis:
      return make_metis_parser();
  }
  throw std::logic_error("no such format");
}

}  // namespace cliquepool
