// The fields of a line of text, and how to show them in an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cliquepool {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The fields of a line, separated by blanks.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  // The next field; empty when there is none.
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

// The value of a field of digits alone, if it fits.
std::optional<std::int64_t> parse_digits(std::string_view field);

enum class Number { none, zero, nonzero };

// What a field is as a decimal number: sign, digits, point, exponent; infinity too, but not NaN.
Number parse_number(std::string_view field);

// Whether the bytes are UTF-8: nothing overlong, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

bool equal_ignoring_case(std::string_view field, std::string_view lower_case);

// The field in quotes, cut when long, with every byte that is not printable ASCII escaped.
std::string quoted(std::string_view field);

// `quoted`, or words for a field that is not there.
std::string shown(std::string_view field);

}  // namespace cliquepool
