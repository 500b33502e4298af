// The columns of a line of an edge list or a csv file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reading/text_fields.hpp"

namespace cliquepool {

constexpr bool is_delimiter(char c) { return c == ',' || c == ';'; }
constexpr bool is_separator(char c) { return is_blank(c) || is_delimiter(c); }

inline bool begins_comment(std::string_view text) {
  return text.starts_with('#') || text.starts_with('%') || text.starts_with("//");
}

// Columns are separated by one delimiter, with or without blanks around it; with the delimiter kAny, by blanks, or by
// one comma or semicolon with or without blanks. A comment starts at the beginning of a line; with kAny, also after a
// blank.
class Columns {
 public:
  static constexpr char kAny = '\0';

  // If `quotes`, a column may be in double quotes, with two of them inside for one.
  Columns(std::string_view line, char delimiter, bool quotes) : rest_(line), delimiter_(delimiter), quotes_(quotes) {
    skip_blanks();
  }

  bool has_next() const { return expected_ || (!rest_.empty() && !(after_blank_ && begins_comment(rest_))); }

  // Returns the next column, without the blanks around it. `room` holds its text if that is not a part of the line.
  std::string_view next(std::string& room) {
    const bool is_quoted = quotes_ && rest_.starts_with('"');
    const std::string_view column = is_quoted ? read_quoted(room) : read_plain();
    skip_blanks();
    expected_ = !rest_.empty() && (delimiter_ == kAny ? is_delimiter(rest_.front()) : rest_.front() == delimiter_);
    if (expected_) {
      rest_.remove_prefix(1);
      after_blank_ = false;
      skip_blanks();
    } else if (is_quoted && !rest_.empty() && !after_blank_) {
      is_broken_ = true;  // text after the closing quote
    }
    if (delimiter_ != kAny) after_blank_ = false;
    return column;
  }

  // Returns whether the last column had no closing quote, or text after it.
  bool is_broken() const { return is_broken_; }

 private:
  bool ends_column(char c) const { return delimiter_ == kAny ? is_separator(c) : c == delimiter_; }

  std::string_view read_plain() {
    std::size_t size = 0;
    while (size < rest_.size() && !ends_column(rest_[size])) ++size;
    std::string_view column = rest_.substr(0, size);
    rest_.remove_prefix(size);
    after_blank_ = false;
    while (!column.empty() && is_blank(column.back())) column.remove_suffix(1);
    return column;
  }

  std::string_view read_quoted(std::string& room) {
    after_blank_ = false;
    std::size_t close = rest_.find('"', 1);
    std::string_view column = rest_.substr(1, close == std::string_view::npos ? close : close - 1);
    if (close != std::string_view::npos && rest_.substr(close + 1).starts_with('"')) {
      room.clear();
      std::size_t begin = 1;
      while (close != std::string_view::npos && rest_.substr(close + 1).starts_with('"')) {
        room += rest_.substr(begin, close + 1 - begin);
        begin = close + 2;
        close = rest_.find('"', begin);
      }
      room += rest_.substr(begin, close == std::string_view::npos ? close : close - begin);
      column = room;
    }
    is_broken_ = close == std::string_view::npos;
    rest_.remove_prefix(is_broken_ ? rest_.size() : close + 1);
    return column;
  }

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front()) && rest_.front() != delimiter_) {
      rest_.remove_prefix(1);
      after_blank_ = true;
    }
  }

  std::string_view rest_;
  char delimiter_;
  bool quotes_;
  bool expected_ = false;    // after a delimiter there is a column, even an empty one
  bool after_blank_ = true;  // or at the beginning of the line: a comment may start here
  bool is_broken_ = false;
};

// Returns the first comma, semicolon or tab of a line outside quotes, or kAny if there is none.
inline char delimiter_of(std::string_view line) {
  bool in_quotes = false;
  for (const char c : line) {
    if (c == '"') in_quotes = !in_quotes;
    if (!in_quotes && (is_delimiter(c) || c == '\t')) return c;
  }
  return Columns::kAny;
}

}  // namespace cliquepool
