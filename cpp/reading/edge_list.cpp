// Edge lists and csv: a line is an edge, its first two columns are node ids, integers or text.
//
// Which they are is told by the first edge. Where both its ids are integers, all must be: a file of numbers with
// something else in it is damaged more often than it is meant. Otherwise all are text. A first line of two names may be
// a header, which needs the lines after it to tell.
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "graph/compact_ids.hpp"
#include "graph/csr.hpp"
#include "reading/columns.hpp"
#include "reading/name_table.hpp"
#include "reading/reading.hpp"
#include "reading/text_fields.hpp"

namespace cliquepool {
namespace {

// What people call the columns of an edge list.
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
  // Two columns of digits and a newline, with nothing else in the line, are read here, and everything else in
  // parse_line. The newline at the end of `lines` stops every scan.
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

  LabelledGraph assemble(Budget& budget) override {
    if (first_) settle_first_line();
    if (ids_ == IdKind::text) return assemble_names(budget);
    return pairs_.is_wide() ? assemble(pairs_.wide().span(), budget) : assemble(pairs_.narrow().span(), budget);
  }

  std::int64_t more_bytes() const override { return names_.bytes(); }

 private:
  // A line of text, in columns. The views last until the next one.
  struct Line {
    std::string_view source;
    std::string_view target;
    std::int64_t columns = 2;
    bool has_number = false;  // in a further column

    bool has_integers() const { return is_integer(source) && is_integer(target); }
  };

  // A first line that may be an edge or the names of the columns.
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
    const Buffer<Node> ranks = names_.ranks(budget);
    for (Node& end : pairs_.narrow()) end = ranks[idx(end)];
    LabelledGraph result{build_graph<Node>(pairs_.narrow().span(), static_cast<Node>(names_.size()), budget), {}, {}};
    budget.add_bytes(names_.bytes());
    result.names = names_.ranked(ranks);
    return result;
  }

  // Stops at the first line that is not plain.
  template <typename Id>
  const char* parse_plain_lines(const char* cursor, const char* end, Buffer<Id>& pairs) {
    constexpr std::ptrdiff_t kStretch = 1 << 16;
    constexpr std::ptrdiff_t kShortestLine = 4;
    bool plain = true;
    while (plain && cursor != end) {
      // Room for all edges of a stretch of lines, so that the loop need not ask for it.
      const char* const stretch_end = cursor + std::min(kStretch, end - cursor);
      Id* const room = pairs.reserve_more(2 * (idx(kStretch / kShortestLine) + 1));
      Id* pair = room;
      while (cursor < stretch_end) {
        const char* place = cursor;
        plain = take_id(place, pair[0]) && is_separator(*place) && take_id(++place, pair[1]);
        place += *place == '\r';
        plain = plain && *place == '\n';
        if (!plain) break;
        pair += 2;
        cursor = place + 1;
      }
      const auto written = static_cast<std::size_t>(pair - room);
      pairs.commit(written);
      line_ += static_cast<std::int64_t>(written / 2);
    }
    return cursor;
  }

  // As many digits as fit for sure; longer ids are left to parse_line.
  template <typename Id>
  static bool take_id(const char*& place, Id& id) {
    const char* const first = place;
    std::make_unsigned_t<Id> value = 0;
    for (; is_digit(*place); ++place) value = value * 10 + static_cast<unsigned>(*place - '0');
    id = static_cast<Id>(value);
    return place != first && place - first <= std::numeric_limits<Id>::digits10;
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
    if (!options_.ids && (refusable(line.source) || refusable(line.target))) {
      fail_on_ids(line, "a number that is no integer from 0 to 2^63-1; ids=\"text\" takes all as text");
    }
    const bool may_be_header = is_csv_ ? !options_.header : !options_.ids && !options_.header;
    if (!may_be_header || is_integer(line.source) || is_integer(line.target)) return begin(IdKind::text, line);
    if (!is_csv_) columns_ = line.columns;  // a header may have any number
    first_ = FirstLine{std::string(line.source), std::string(line.target), line.columns, line.has_number, line_};
  }

  // The line after one that may be a header.
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
      first_.reset();  // the names of columns, one of which holds numbers
    }
  }

  // At the end of the file, where the lines after it did not tell.
  void settle_first_line() {
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

  // Takes the ids of the first edge, and all after it, for integers or text.
  void begin(IdKind kind, const Line& line) {
    ids_ = options_.ids.value_or(kind);
    if (ids_ == IdKind::text) return add_names(line);
    expect_columns(line.columns);
    pairs_.add(id(line.source), id(line.target));
  }

  static bool refusable(std::string_view column) { return is_number(column) && !is_integer(column); }

  [[noreturn]] void fail_on_ids(const Line& line, const std::string& reason) const {
    fail("a node id", quoted(first_odd(line)) + " (" + reason + ")");
  }

  // The id to show: one that is a wrong number before one that is text.
  static std::string_view first_odd(const Line& line) {
    if (refusable(line.source) || is_integer(line.target)) return line.source;
    return refusable(line.target) || is_integer(line.source) ? line.target : line.source;
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

  // What a column that is ignored may hold.
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
  bool skips_line_;                 // the first line is still to be skipped
  bool header_seen_ = false;        // where ids must be integers
  std::optional<char> delimiter_;   // of every line
  std::optional<IdKind> ids_;       // of every line; none before the first edge
  std::int64_t columns_ = 0;        // of every line; 0 before the first
  std::optional<FirstLine> first_;  // while it is not known what it is
  NameTable names_;
  std::string source_room_, target_room_, further_room_;
};

}  // namespace

std::unique_ptr<GraphParser> make_edge_list_parser(bool is_csv, const EdgeListOptions& options) {
  return std::make_unique<EdgeListParser>(is_csv, options);
}

}  // namespace cliquepool
