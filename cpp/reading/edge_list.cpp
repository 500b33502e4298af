// Edge lists and csv: a line is an edge, its first two columns are node ids, integers or text.
//
// The first edge decides which. If both its ids are integers, all ids must be: a file of integers with other ids in it
// is more often damaged than intended. Otherwise all ids are text. A first line of two names may be a header; the lines
// after it decide.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/charged_buffer.hpp"
#include "graph/compact_ids.hpp"
#include "graph/csr.hpp"
#include "reading/columns.hpp"
#include "reading/name_table.hpp"
#include "reading/reading.hpp"
#include "reading/text_fields.hpp"

namespace cliquepool {
namespace {

// Common names of the columns of an edge list.
bool is_column_name(std::string_view text) {
  constexpr std::string_view kNames[] = {
      "source",  "target", "src",    "dst",    "tgt",    "dest",   "destination", "from",      "to",        "u",
      "v",       "i",      "j",      "head",   "tail",   "start",  "end",         "sender",    "receiver",  "node1",
      "node2",   "node_1", "node_2", "node_a", "node_b", "id1",    "id2",         "id_1",      "id_2",      "vertex1",
      "vertex2", "user1",  "user2",  "ego",    "alter",  "parent", "child",       "source_id", "target_id", "from_id",
      "to_id",   "x1",     "x2",     "id_a",   "id_b",   "origin", "fromnodeid",  "tonodeid",
  };
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return equal_ignoring_case(text, name); });
}

bool is_integer(std::string_view text) { return parse_digits(text).has_value(); }

bool is_number(std::string_view text) { return parse_number(text) != Number::none || equal_ignoring_case(text, "nan"); }

class EdgeListParser final : public GraphParser {
 public:
  EdgeListParser(bool is_csv, const EdgeListOptions& options)
      : is_csv_(is_csv), options_(options), skips_line_(options.header.value_or(false)) {
    if (!is_csv) delimiter_ = Columns::kAny;
  }

 protected:
  // Parses plain lines here, which are two columns of digits and a newline, and all others in parse_line. The newline
  // at the end of `lines` stops every scan.
  void parse_lines(std::string_view lines) override {
    const char* cursor = lines.data();
    const char* const end = cursor + lines.size();
    while (cursor != end) {
      if (columns_ == 2 && ids_ == IdKind::integers) {
        cursor = pairs_.is_wide() ? parse_plain_lines(cursor, end, pairs_.wide())
                                  : parse_plain_lines(cursor, end, pairs_.narrow());
      }
      if (cursor != end) cursor = parse_one_line(cursor, end);
    }
  }

  void parse_line(std::string_view line) override {
    Columns columns(line, delimiter_.value_or(Columns::kAny), is_csv_ || ids_ != IdKind::integers);
    if (!columns.has_next()) return;
    if (!delimiter_) {
      delimiter_ = delimiter_of(line);
      return parse_line(line);
    }
    if (skips_line_) {
      skips_line_ = false;
    } else if (!ids_) {
      parse_first_lines(columns);
    } else if (ids_ == IdKind::integers) {
      parse_integers(columns);
    } else {
      const Line edge = split(columns);
      add_names(edge);
    }
  }

  NodeIds node_ids(Budget& budget) override {
    if (first_) resolve_first_line();
    if (ids_ != IdKind::text) return {};
    ChargedBuffer<Node> ranks = names_.ranks(budget);
    Names names = names_.sorted(ranks.span(), budget);
    return {static_cast<Node>(names_.size()), ranks.take(), std::move(names)};
  }

  LabelledGraph assemble(Budget& budget) override {
    if (first_) resolve_first_line();
    if (ids_ == IdKind::text) return assemble_names(budget);
    return pairs_.is_wide() ? assemble(pairs_.wide().span(), budget) : assemble(pairs_.narrow().span(), budget);
  }

  std::int64_t more_bytes() const override { return names_.bytes(); }

 private:
  // A line of text, in columns. The views are valid until the next line.
  struct Line {
    std::string_view source;
    std::string_view target;
    std::int64_t columns = 2;
    bool has_number = false;  // in a further column

    bool has_integers() const { return is_integer(source) && is_integer(target); }
  };

  // A first line that may be an edge or a header.
  struct FirstLine {
    std::string source;
    std::string target;
    std::int64_t columns;
    bool has_number;
    std::int64_t line;
  };

  template <typename Id>
  static LabelledGraph assemble(std::span<Id> pairs, Budget& budget) {
    CompactIds ids = compact_ids(pairs, budget);
    return {build_graph<Id>(pairs, ids.num_nodes, budget), std::move(ids.labels), {}};
  }

  LabelledGraph assemble_names(Budget& budget) {
    const ChargedBuffer<Node> ranks = names_.ranks(budget);
    for (Node& end : pairs_.narrow()) end = ranks[idx(end)];
    LabelledGraph result{build_graph<Node>(pairs_.narrow().span(), static_cast<Node>(names_.size()), budget), {}, {}};
    result.names = names_.sorted(ranks.span(), budget);
    return result;
  }

  // Returns the first line that is not plain, or the end.
  template <typename Id>
  const char* parse_plain_lines(const char* cursor, const char* end, Buffer<Id>& pairs) {
    constexpr std::ptrdiff_t kStretch = 1 << 16;
    constexpr std::ptrdiff_t kShortestLine = 4;
    bool plain = true;
    while (plain && cursor != end) {
      // Reserve memory for all edges of a stretch of lines, so that the inner loop need not check.
      const char* const stretch_end = cursor + std::min(kStretch, end - cursor);
      Id* const room = pairs.reserve_more(2 * (idx(kStretch / kShortestLine) + 1));
      Id* pair = room;
      while (cursor < stretch_end) {
        const char* digit = cursor;
        plain = read_id(digit, pair[0]) && is_separator(*digit) && read_id(++digit, pair[1]);
        digit += *digit == '\r';
        plain = plain && *digit == '\n';
        if (!plain) break;
        pair += 2;
        cursor = digit + 1;
      }
      const auto written = static_cast<std::size_t>(pair - room);
      pairs.commit(written);
      line_ += static_cast<std::int64_t>(written / 2);
    }
    return cursor;
  }

  // Reads an id of at most as many digits as always fit; parse_line handles longer ones.
  template <typename Id>
  static bool read_id(const char*& digit, Id& id) {
    const char* const first = digit;
    std::make_unsigned_t<Id> value = 0;
    for (; is_digit(*digit); ++digit) value = value * 10 + static_cast<unsigned>(*digit - '0');
    id = static_cast<Id>(value);
    return digit != first && digit - first <= std::numeric_limits<Id>::digits10;
  }

  // ---- lines of integers ----

  void parse_integers(Columns& columns) {
    const std::int64_t source = id(next(columns, source_room_));
    if (!columns.has_next()) fail_on_columns(1);
    const std::int64_t target = id(next(columns, target_room_));
    std::int64_t count = 2;
    for (; columns.has_next(); ++count) check_text(next(columns, further_room_));
    expect_columns(count);
    pairs_.add(source, target);
  }

  std::int64_t id(std::string_view column) const {
    if (column.empty()) fail("a node id", "an empty column");
    const std::optional<std::int64_t> value = parse_digits(column);
    if (!value) {
      fail("a node id from 0 to " + std::to_string(std::numeric_limits<std::int64_t>::max()),
           quoted(column) + " (the ids of the first edge are integers; ids=\"text\" takes all as text)");
    }
    return *value;
  }

  // ---- the first lines ----

  void parse_first_lines(Columns& columns) {
    const Line line = split(columns);
    if (first_) return parse_second_line(line);
    if (line.has_integers()) return begin(IdKind::integers, line);
    if (options_.ids == IdKind::integers) {
      if (is_csv_ && options_.header.value_or(true) && !header_seen_ && !is_number(line.source)) {
        header_seen_ = true;
        return;
      }
      fail_on_ids(line, "ids=\"integers\" takes nothing else");
    }
    if (!options_.ids && (is_bad_number(line.source) || is_bad_number(line.target))) {
      fail_on_ids(line, "a number that is no integer from 0 to 2^63-1; ids=\"text\" takes all as text");
    }
    const bool may_be_header = is_csv_ ? !options_.header : !options_.ids && !options_.header;
    if (!may_be_header || is_integer(line.source) || is_integer(line.target)) return begin(IdKind::text, line);
    if (!is_csv_) columns_ = line.columns;  // a header of csv may have any number of columns
    first_ = FirstLine{std::string(line.source), std::string(line.target), line.columns, line.has_number, line_};
  }

  // Parses the line after one that may be a header.
  void parse_second_line(const Line& line) {
    if (line.has_integers()) {
      if (!is_csv_) {
        line_ = first_->line;
        fail("a node id", quoted(first_->source) + " (a first line of names is read as csv only, or with header=True)");
      }
      first_.reset();
      return begin(IdKind::integers, line);
    }
    columns_ = first_->columns;
    begin(IdKind::text, line);
    if (!is_csv_ || first_->has_number) {
      add_first_line();
    } else if (line.has_number) {
      first_.reset();  // a header: the names of columns, one of which holds numbers
    }
  }

  // Decides at the end of the file, if the lines after it did not.
  void resolve_first_line() {
    const bool recurs = names_.contains(first_->source) || names_.contains(first_->target);
    if (!is_csv_ || recurs) return add_first_line();
    if (!is_column_name(first_->source) || !is_column_name(first_->target)) {
      line_ = first_->line;
      fail("the names of columns, such as source and target, or ids that occur again",
           quoted(first_->source) + " and " + quoted(first_->target) +
               ", which may be either; header=True or header=False tells");
    }
    first_.reset();
  }

  void add_first_line() {
    ids_ = IdKind::text;
    const std::int64_t current = std::exchange(line_, first_->line);
    check_name(first_->source);
    check_name(first_->target);
    line_ = current;
    pairs_.add(names_.number(first_->source), names_.number(first_->target));
    first_.reset();
  }

  // Adds the first edge, and fixes the kind of its ids for all edges after it.
  void begin(IdKind kind, const Line& line) {
    ids_ = options_.ids.value_or(kind);
    if (ids_ == IdKind::text) return add_names(line);
    expect_columns(line.columns);
    pairs_.add(id(line.source), id(line.target));
  }

  static bool is_bad_number(std::string_view column) { return is_number(column) && !is_integer(column); }

  [[noreturn]] void fail_on_ids(const Line& line, const std::string& reason) const {
    fail("a node id", quoted(id_to_show(line)) + " (" + reason + ")");
  }

  // Returns the id to show: one that is a bad number before one that is text.
  static std::string_view id_to_show(const Line& line) {
    if (is_bad_number(line.source) || is_integer(line.target)) return line.source;
    return is_bad_number(line.target) || is_integer(line.source) ? line.target : line.source;
  }

  // ---- lines of text ----

  Line split(Columns& columns) {
    Line line;
    line.source = next(columns, source_room_);
    if (!columns.has_next()) {
      check_name(line.source);
      fail_on_columns(1);
    }
    line.target = next(columns, target_room_);
    if (line.source.empty() || line.target.empty()) fail("a node id", "an empty column");
    for (; columns.has_next(); ++line.columns) {
      const std::string_view column = next(columns, further_room_);
      check_text(column);
      line.has_number = line.has_number || parse_number(column) != Number::none;
    }
    return line;
  }

  void add_names(const Line& line) {
    check_name(line.source);
    check_name(line.target);
    expect_columns(line.columns);
    pairs_.add(names_.number(line.source), names_.number(line.target));
  }

  void check_name(std::string_view column) const {
    if (column.empty()) fail("a node id", "an empty column");
    if (has_control_characters(column) || !is_utf8(column)) fail("a node id in UTF-8", quoted(column));
  }

  // ---- every line ----

  const char* parse_one_line(const char* begin, const char* end) {
    const auto* const newline = static_cast<const char*>(std::memchr(begin, '\n', idx(end - begin)));
    std::string_view line(begin, idx(newline - begin));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_;
    parse_line(line);
    return newline + 1;
  }

  std::string_view next(Columns& columns, std::string& room) const {
    const std::string_view column = columns.next(room);
    if (columns.is_broken()) fail("a column that ends with its closing quote", quoted(column));
    return column;
  }

  // Checks a column that is ignored otherwise.
  void check_text(std::string_view column) const {
    if (has_control_characters(column)) fail("text", quoted(column));
  }

  static bool has_control_characters(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
  }

  void expect_columns(std::int64_t count) {
    if (columns_ == 0) columns_ = count;
    if (count != columns_) fail_on_columns(count);
  }

  [[noreturn]] void fail_on_columns(std::int64_t count) const {
    fail(columns_ == 0 ? "at least 2 columns" : std::to_string(columns_) + " columns", std::to_string(count));
  }

  bool is_csv_;
  EdgeListOptions options_;
  bool skips_line_;                 // whether to skip the next line, a header
  bool header_seen_ = false;        // used if ids must be integers
  std::optional<char> delimiter_;   // of all lines
  std::optional<IdKind> ids_;       // of all lines; none before the first edge
  std::int64_t columns_ = 0;        // number of columns of all lines; 0 before the first
  std::optional<FirstLine> first_;  // until it is decided whether it is a header
  NameTable names_;
  std::string source_room_, target_room_, further_room_;
};

}  // namespace

std::unique_ptr<GraphParser> make_edge_list_parser(bool is_csv, const EdgeListOptions& options) {
  return std::make_unique<EdgeListParser>(is_csv, options);
}

}  // namespace cliquepool
