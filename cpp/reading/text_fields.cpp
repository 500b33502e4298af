#include "reading/text_fields.hpp"

#include <algorithm>
#include <limits>

namespace cliquepool {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Removes the digits at the front and returns their number. Sets `nonzero` if one is not 0.
std::size_t take_digits(std::string_view& text, bool& nonzero) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) nonzero |= text[count++] != '0';
  text.remove_prefix(count);
  return count;
}

void take_sign(std::string_view& text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
}

}  // namespace

std::optional<std::int64_t> parse_digits(std::string_view field) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (field.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : field) {
    if (!is_digit(c)) return std::nullopt;
    const std::int64_t digit = c - '0';
    if (value > (kMost - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

Number parse_number(std::string_view field) {
  take_sign(field);
  if (equal_ignoring_case(field, "inf") || equal_ignoring_case(field, "infinity")) return Number::nonzero;
  bool nonzero = false;
  std::size_t digits = take_digits(field, nonzero);
  if (!field.empty() && field.front() == '.') {
    field.remove_prefix(1);
    digits += take_digits(field, nonzero);
  }
  if (digits == 0) return Number::none;
  if (!field.empty()) {
    // Fortran writes the exponents of doubles with a D.
    if (lower(field.front()) != 'e' && lower(field.front()) != 'd') return Number::none;
    field.remove_prefix(1);
    take_sign(field);
    bool ignored = false;
    if (take_digits(field, ignored) == 0 || !field.empty()) return Number::none;
  }
  return nonzero ? Number::nonzero : Number::zero;
}

bool is_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char first = byte(i++);
    if (first < 0x80) continue;
    const std::size_t more = first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    if (first < 0xc2 || first > 0xf4 || text.size() - i < more) return false;
    // The second byte rules out overlong encodings, surrogates and code points that are too large.
    const unsigned char lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const unsigned char highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (byte(i) < lowest || byte(i) > highest) return false;
    for (std::size_t k = 1; k < more; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
    }
    i += more;
  }
  return true;
}

bool equal_ignoring_case(std::string_view field, std::string_view lower_case) {
  return std::equal(field.begin(), field.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

std::string quoted(std::string_view field) {
  constexpr std::size_t kMost = 40;
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "'";
  for (const char c : field.substr(0, kMost)) {
    if (c >= ' ' && c <= '~') {
      text += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      text += "\\x";
      text += kHex[byte >> 4];
      text += kHex[byte & 15];
    }
  }
  return text + (field.size() > kMost ? "...'" : "'");
}

std::string quoted_or_end(std::string_view field) { return field.empty() ? "the end of the line" : quoted(field); }

}  // namespace cliquepool
