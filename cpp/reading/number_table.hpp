// Parser of tables of numbers, fed in pieces: the same number of columns in every line, separated by commas or blanks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/buffer.hpp"

namespace cliquepool {

// Value is std::int32_t, std::int64_t or float. Row r is line r + 1: blank lines may only be at the end.
// Anything else throws GraphError with the line number, what was expected and what was got.
template <typename Value>
class NumberTable {
 public:
  // `columns` of 0 means as many as the first line has.
  explicit NumberTable(std::size_t columns) : columns_(columns) {}

  // Parses whole lines: each ends with a newline.
  void feed(std::string_view lines);

  std::size_t columns() const { return columns_; }
  std::int64_t rows() const { return rows_; }

  // Hands the numbers out, row by row.
  Buffer<Value> take();

 private:
  const char* parse_row(const char* line);
  const char* parse_first_row(const char* line);
  void note_blank_line();
  [[noreturn]] void fail_on_field(const char* field) const;
  [[noreturn]] void fail_on_count(const char* line) const;
  [[noreturn]] void fail(const std::string& expected, const std::string& got) const;

  Buffer<Value> values_;
  std::size_t columns_;
  std::int64_t rows_ = 0;
  std::int64_t line_ = 0;        // number of the current line, from 1
  std::int64_t blank_line_ = 0;  // number of the first blank line; 0 before it
};

// Returns an integer with commas between groups of three digits, as errors show lines and counts.
std::string with_commas(std::int64_t number);

}  // namespace cliquepool
