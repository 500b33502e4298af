// The fields of a line of text: splitting, parsing, and quoting in errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cliquepool {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The fields of a line, separated by blanks.
class TextFields {
 public:
  explicit TextFields(std::string_view line) : rest_(line) {}

  // Returns the next field, or an empty one at the end of the line.
  std::string_view next() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
    std::size_t size = 0;
    while (size < rest_.size() && !is_blank(rest_[size])) ++size;
    const std::string_view field = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return field;
  }

 private:
  std::string_view rest_;
};

// Returns the value of a field of digits alone, if it fits.
std::optional<std::int64_t> parse_digits(std::string_view field);

enum class Number { none, zero, nonzero };

// Classifies a field as a decimal number: sign, digits, point, exponent. Infinity is a number here, NaN is not.
Number parse_number(std::string_view field);

// Returns whether the bytes are valid UTF-8: no overlong encodings, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

bool equal_ignoring_case(std::string_view field, std::string_view lower_case);

// Returns the field in quotes, truncated if long, with every byte escaped that is not printable ASCII.
std::string quoted(std::string_view field);

// Returns `quoted`, or "the end of the line" if there is no field.
std::string quoted_or_end(std::string_view field);

}  // namespace cliquepool
