#include "reading/number_table.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "base/errors.hpp"
#include "reading/text_fields.hpp"

namespace cliquepool {
namespace {

// Every scan below ends at the latest at the newline of its line, so that none checks for the end of the text.
constexpr bool ends_field(char c) { return is_blank(c) || c == ',' || c == '\n' || c == '\r'; }
constexpr bool ends_line(const char* cursor) { return *cursor == '\n' || (*cursor == '\r' && cursor[1] == '\n'); }

const char* skip_blanks(const char* cursor) {
  while (is_blank(*cursor)) ++cursor;
  return cursor;
}

std::string_view field_at(const char* cursor) {
  const char* end = cursor;
  while (!ends_field(*end)) ++end;
  return {cursor, static_cast<std::size_t>(end - cursor)};
}

const char* newline_after(const char* cursor) {
  while (*cursor != '\n') ++cursor;
  return cursor;
}

bool read_sign(const char*& cursor) {
  const bool negative = *cursor == '-';
  cursor += negative || *cursor == '+';
  return negative;
}

// Reads the number at `cursor` and moves `cursor` to its end, or returns false.
template <typename Integer>
bool read_number(const char*& cursor, Integer& value) {
  const bool negative = read_sign(cursor);
  const char* const first = cursor;
  std::make_unsigned_t<Integer> magnitude = 0;
  for (; is_digit(*cursor); ++cursor) magnitude = magnitude * 10 + static_cast<unsigned>(*cursor - '0');
  if (cursor == first || !ends_field(*cursor)) return false;
  if (cursor - first > std::numeric_limits<Integer>::digits10) {  // may have overflowed
    const auto exact = parse_digits({first, static_cast<std::size_t>(cursor - first)});
    if (!exact || *exact > std::numeric_limits<Integer>::max()) return false;
    magnitude = static_cast<std::make_unsigned_t<Integer>>(*exact);
  }
  value = static_cast<Integer>(magnitude);
  if (negative) value = static_cast<Integer>(-value);
  return true;
}

#if !defined(__cpp_lib_to_chars)
// Returns whether this is digits, with or without a point and an exponent.
bool is_decimal(std::string_view field) {
  const std::size_t exponent = field.find_first_of("eE");
  const std::string_view mantissa = field.substr(0, exponent);
  const auto are_digits = [](std::string_view text) {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::size_t point = mantissa.find('.');
  const bool has_digits = mantissa.find_first_of("0123456789") != std::string_view::npos;
  if (!has_digits || !are_digits(mantissa.substr(0, point))) return false;
  if (point != std::string_view::npos && !are_digits(mantissa.substr(point + 1))) return false;
  if (exponent == std::string_view::npos) return true;
  std::string_view power = field.substr(exponent + 1);
  if (power.starts_with('-') || power.starts_with('+')) power.remove_prefix(1);
  return !power.empty() && are_digits(power);
}
#endif

// Returns the nearest double, for numbers that exact_double below declines.
std::optional<double> nearest_double(std::string_view digits) {
  double value = 0;
  const bool has_negative_exponent =
      digits.find("e-") != std::string_view::npos || digits.find("E-") != std::string_view::npos;
#if defined(__cpp_lib_to_chars)
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size()) return std::nullopt;
  const bool in_range = error != std::errc::result_out_of_range;
  if (in_range && error != std::errc()) return std::nullopt;
#else
  if (!is_decimal(digits)) return std::nullopt;  // streams accept hexadecimal numbers too, and parts of a field
  std::istringstream stream{std::string(digits)};
  stream.imbue(std::locale::classic());
  const bool in_range = static_cast<bool>(stream >> value);
#endif
  if (!in_range) return has_negative_exponent ? std::optional(0.0) : std::nullopt;  // below every double, or above
  return value;
}

constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kLargestExactPower = 22;
constexpr std::uint64_t kLargestExactInteger = std::uint64_t{1} << 53;

// Returns the nearest double if digits and power of ten are both exact as doubles: one operation then rounds once
// (Clinger 1990).
std::optional<double> exact_double(const char* cursor, const char* end) {
  constexpr int kMostDigits = 19;
  constexpr int kMostExponentDigits = 4;
  std::uint64_t digits = 0;
  int count = 0;
  int exponent = 0;
  for (; is_digit(*cursor); ++cursor, ++count) digits = digits * 10 + static_cast<unsigned>(*cursor - '0');
  if (*cursor == '.') {
    for (++cursor; is_digit(*cursor); ++cursor, ++count, --exponent)
      digits = digits * 10 + static_cast<unsigned>(*cursor - '0');
  }
  if (count == 0 || count > kMostDigits) return std::nullopt;
  if (*cursor == 'e' || *cursor == 'E') {
    const bool negative = read_sign(++cursor);
    const char* const first = cursor;
    int written = 0;
    for (; is_digit(*cursor) && cursor - first < kMostExponentDigits; ++cursor)
      written = written * 10 + (*cursor - '0');
    if (cursor == first) return std::nullopt;
    exponent += negative ? -written : written;
  }
  if (cursor != end || digits > kLargestExactInteger || std::abs(exponent) > kLargestExactPower) return std::nullopt;
  const auto whole = static_cast<double>(digits);
  return exponent < 0 ? whole / kPowersOfTen[-exponent] : whole * kPowersOfTen[exponent];
}

bool read_number(const char*& cursor, float& value) {
  const bool negative = read_sign(cursor);
  const std::string_view field = field_at(cursor);
  if (field.empty() || !(is_digit(field.front()) || field.front() == '.')) return false;  // no inf, no nan
  std::optional<double> magnitude = exact_double(field.data(), field.data() + field.size());
  if (!magnitude) magnitude = nearest_double(field);
  if (!magnitude || *magnitude > static_cast<double>(std::numeric_limits<float>::max())) return false;
  cursor += field.size();
  value = static_cast<float>(negative ? -*magnitude : *magnitude);
  return true;
}

template <typename Value>
constexpr bool is_integer = std::is_integral_v<Value>;

template <typename Value>
std::string numbers(std::size_t count) {
  return with_commas(static_cast<std::int64_t>(count)) + (is_integer<Value> ? " integer" : " number") +
         (count == 1 ? "" : "s");
}

// Skips what separates two numbers: blanks, or a comma with or without blanks.
const char* skip_separator(const char* cursor) {
  cursor = skip_blanks(cursor);
  return *cursor == ',' ? skip_blanks(cursor + 1) : cursor;
}

}  // namespace

template <typename Value>
void NumberTable<Value>::feed(std::string_view lines) {
  if (lines.empty()) return;
  if (!lines.ends_with('\n')) throw std::logic_error("expected whole lines");
  const char* cursor = lines.data();
  const char* const end = cursor + lines.size();
  while (cursor != end) {
    ++line_;
    const char* const first = skip_blanks(cursor);
    if (ends_line(first)) {
      note_blank_line();
      cursor = newline_after(first) + 1;
      continue;
    }
    if (blank_line_ != 0) {
      line_ = blank_line_;
      fail(columns_ == 0 ? "numbers" : numbers<Value>(columns_), "an empty line");
    }
    cursor = columns_ == 0 ? parse_first_row(first) : parse_row(first);
    ++rows_;
  }
}

template <typename Value>
const char* NumberTable<Value>::parse_row(const char* line) {
  Value* const row = values_.reserve_more(columns_);
  const char* cursor = line;
  for (std::size_t column = 0; column < columns_; ++column) {
    const char* const field = cursor;
    if (column != 0 && ends_line(field)) fail_on_count(line);
    if (!read_number(cursor, row[column])) fail_on_field(field);
    cursor = column + 1 < columns_ ? skip_separator(cursor) : skip_blanks(cursor);
  }
  if (!ends_line(cursor)) fail_on_count(line);
  values_.commit(columns_);
  return newline_after(cursor) + 1;
}

template <typename Value>
const char* NumberTable<Value>::parse_first_row(const char* line) {
  for (const char* cursor = line;;) {
    const char* const field = cursor;
    Value value{};
    if (!read_number(cursor, value)) fail_on_field(field);
    values_.push_back(value);
    ++columns_;
    cursor = skip_blanks(cursor);
    if (ends_line(cursor)) return newline_after(cursor) + 1;
    cursor = skip_separator(cursor);
  }
}

template <typename Value>
void NumberTable<Value>::note_blank_line() {
  if (blank_line_ == 0) blank_line_ = line_;
}

template <typename Value>
Buffer<Value> NumberTable<Value>::take() {
  values_.shrink_to_fit();
  return std::move(values_);
}

template <typename Value>
void NumberTable<Value>::fail_on_field(const char* field) const {
  const std::string got = ends_line(field) ? "the end of the line" : quoted(field_at(field));
  if constexpr (is_integer<Value>) {
    std::string_view digits = field_at(field);
    if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
    const bool is_whole = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    const auto most = static_cast<std::int64_t>(std::numeric_limits<Value>::max());
    fail(is_whole ? "an integer of at most " + std::to_string(most) + " in size" : "an integer", got);
  } else {
    fail("a finite number", got);
  }
}

template <typename Value>
void NumberTable<Value>::fail_on_count(const char* line) const {
  constexpr std::size_t kShort = 40;
  const char* end = newline_after(line);
  while (end != line && (is_blank(end[-1]) || end[-1] == '\r')) --end;
  const std::string_view text(line, static_cast<std::size_t>(end - line));
  if (text.size() <= kShort) fail(numbers<Value>(columns_), quoted(text));
  std::size_t count = 0;
  for (const char* cursor = line; cursor < end; cursor = skip_separator(cursor)) {
    const std::size_t size = field_at(cursor).size();
    cursor += size;
    ++count;
    if (size == 0 && *cursor != ',') break;
  }
  fail(numbers<Value>(columns_), with_commas(static_cast<std::int64_t>(count)));
}

template <typename Value>
void NumberTable<Value>::fail(const std::string& expected, const std::string& got) const {
  throw GraphError("line " + with_commas(line_) + ": expected " + expected + ", got " + got);
}

std::string with_commas(std::int64_t number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t position = text.size(); position > first + 3; text.insert(position, 1, ',')) position -= 3;
  return text;
}

template class NumberTable<std::int32_t>;
template class NumberTable<std::int64_t>;
template class NumberTable<float>;

}  // namespace cliquepool
