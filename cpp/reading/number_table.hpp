// Tables of numbers out of text, fed in pieces: as many numbers in every line, separated by commas or blanks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/buffer.hpp"

namespace cliquepool {

// Value is std::int32_t, std::int64_t or float. Row r is line r + 1: blank lines may only be at the end.
// Everything else throws GraphError with the number of the line, what was expected and what was got.
template <typename Value>
class NumberTable {
 public:
  // How many numbers a line has; 0 takes as many as the first one has.
  explicit NumberTable(std::size_t columns) : columns_(columns) {}

  // Takes whole lines: each ends with a newline.
  void feed(std::string_view lines);

  std::size_t columns() const { return columns_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(values_.size() * sizeof(Value)); }

  // Gives the numbers away, row by row.
  Buffer<Value> take();

 private:
  const char* parse_row(const char* line);
  const char* parse_first_row(const char* line);
  void pass_blank_line();
  [[noreturn]] void fail_on_field(const char* field) const;
  [[noreturn]] void fail_on_count(const char* line) const;
  [[noreturn]] void fail(const std::string& expected, const std::string& got) const;

  Buffer<Value> values_;
  std::size_t columns_;
  std::int64_t rows_ = 0;
  std::int64_t line_ = 0;        // the number of the line being parsed
  std::int64_t blank_line_ = 0;  // the first one; 0 when there was none
};

// A whole number with a comma after every three digits, as errors show lines and counts.
std::string with_commas(std::int64_t number);

}  // namespace cliquepool
