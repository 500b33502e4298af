// Edge lists: a line is an edge, its first two columns are node ids.
#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "csr.hpp"
#include "fields.hpp"
#include "reading.hpp"

namespace cliquepool {
namespace {

constexpr bool is_delimiter(char c) { return c == ',' || c == ';'; }
constexpr bool is_separator(char c) { return is_blank(c) || is_delimiter(c); }

bool begins_comment(std::string_view text) {
  return text.starts_with('#') || text.starts_with('%') || text.starts_with("//");
}

// The columns of a line: separated by blanks, or by one comma or semicolon with blanks around it.
class Columns {
 public:
  explicit Columns(std::string_view line) : rest_(line) { skip_blanks(); }

  bool has_next() const { return awaited_ || (!rest_.empty() && !(after_blank_ && begins_comment(rest_))); }

  std::string_view next() {
    std::size_t size = 0;
    while (size < rest_.size() && !is_separator(rest_[size])) ++size;
    const std::string_view column = rest_.substr(0, size);
    rest_.remove_prefix(size);
    skip_blanks();
    awaited_ = !rest_.empty() && is_delimiter(rest_.front());
    if (awaited_) {
      rest_.remove_prefix(1);
      after_blank_ = false;
      skip_blanks();
    }
    return column;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) {
      rest_.remove_prefix(1);
      after_blank_ = true;
    }
  }

  std::string_view rest_;
  bool awaited_ = false;     // after a comma there is a column, though it be empty
  bool after_blank_ = true;  // a comment begins a line or follows a blank
};

class EdgeListParser final : public GraphParser {
 public:
  explicit EdgeListParser(bool names_in_first_line) : names_allowed_(names_in_first_line) {}

 protected:
  // Two columns of digits and a newline, with nothing else in the line, are read here, and everything else in
  // parse_line. The newline at the end of `lines` stops every scan.
  void parse_lines(std::string_view lines) override {
    const char* cursor = lines.data();
    const char* const end = cursor + lines.size();
    while (cursor != end) {
      if (columns_ == 2) {
        cursor = pairs_.is_wide() ? parse_plain_lines(cursor, end, pairs_.wide())
                                  : parse_plain_lines(cursor, end, pairs_.narrow());
      }
      if (cursor != end) cursor = parse_one_line(cursor, end);
    }
  }

  void parse_line(std::string_view line) override {
    Columns columns(line);
    if (!columns.has_next()) return;
    const std::string_view first = columns.next();
    if (first_line_ && begins_name(first)) return check_names(first, columns);
    first_line_ = false;
    const std::int64_t source = id(first);
    if (!columns.has_next()) fail_on_columns(1);
    const std::int64_t target = id(columns.next());
    std::int64_t count = 2;
    for (; columns.has_next(); ++count) check_text(columns.next());
    if (columns_ == 0) columns_ = count;
    if (count != columns_) fail_on_columns(count);
    pairs_.add(source, target);
  }

  LabelledGraph assemble(Budget& budget) override {
    return pairs_.is_wide() ? assemble(pairs_.wide().span(), budget) : assemble(pairs_.narrow().span(), budget);
  }

 private:
  template <typename Id>
  static LabelledGraph assemble(std::span<Id> pairs, Budget& budget) {
    CompactIds ids = compact_ids(pairs, budget);
    return {build_graph<Id>(pairs, ids.num_nodes, budget), std::move(ids.labels)};
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

  const char* parse_one_line(const char* begin, const char* end) {
    const auto* const newline = static_cast<const char*>(std::memchr(begin, '\n', idx(end - begin)));
    std::string_view line(begin, idx(newline - begin));
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_;
    parse_line(line);
    return newline + 1;
  }

  std::int64_t id(std::string_view column) const {
    constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
    if (column.empty()) fail("a node id", "an empty column");
    if (columns_ == 0 && begins_name(column)) {
      fail("a node id", quoted(column) + " (a first line of names is read as csv only)");
    }
    return integer(column, 0, kHighest, "a node id");
  }

  static bool begins_name(std::string_view column) {
    if (column.empty()) return false;
    const char c = column.front();
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '"' || c == '\'';
  }

  void check_names(std::string_view first, Columns columns) {
    first_line_ = false;
    if (!columns.has_next()) fail("at least 2 columns", "1");
    check_text(first);
    while (columns.has_next()) check_text(columns.next());
  }

  // What a column that is ignored may hold.
  void check_text(std::string_view column) const {
    if (std::any_of(column.begin(), column.end(), [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; })) {
      fail("text", quoted(column));
    }
  }

  [[noreturn]] void fail_on_columns(std::int64_t count) const {
    fail(columns_ == 0 ? "at least 2 columns" : std::to_string(columns_) + " columns", std::to_string(count));
  }

  bool names_allowed_;
  bool first_line_ = names_allowed_;  // a line of names may still come
  std::int64_t columns_ = 0;          // of every line; 0 before the first
};

}  // namespace

std::unique_ptr<GraphParser> make_edge_list_parser(bool names_in_first_line) {
  return std::make_unique<EdgeListParser>(names_in_first_line);
}

}  // namespace cliquepool
