#include "reading/text_fields.hpp"

#include <cstdint>
#include <string>

#include "tests/check.hpp"

using namespace cliquepool;

TEST(fields_are_separated_by_blanks) {
  TextFields fields(" a\tbc  d ");
  CHECK(fields.next() == "a");
  CHECK(fields.next() == "bc");
  CHECK(fields.next() == "d");
  CHECK(fields.next().empty());
  CHECK(fields.next().empty());
}

TEST(digits_are_parsed_up_to_64_bits) {
  CHECK(parse_digits("0") == 0);
  CHECK(parse_digits("0017") == 17);
  CHECK(parse_digits("9223372036854775807") == INT64_MAX);
  for (const char* text : {"", "9223372036854775808", "-1", "+1", "1 ", "1.0", "x"}) CHECK(!parse_digits(text));
}

TEST(fields_are_quoted_and_truncated_in_errors) {
  CHECK(quoted("abc") == "'abc'");
  CHECK(quoted("a\x01\xff") == "'a\\x01\\xff'");
  CHECK(quoted(std::string(100, 'x')) == "'" + std::string(40, 'x') + "...'");
  CHECK(quoted_or_end("") == "the end of the line");
  CHECK(quoted_or_end("x") == "'x'");
}

TEST(case_is_ignored_in_keywords) {
  CHECK(equal_ignoring_case("PaTTern", "pattern"));
  CHECK(!equal_ignoring_case("patter", "pattern"));
  CHECK(!equal_ignoring_case("patterns", "pattern"));
}

TEST(utf8_is_distinguished_from_other_bytes) {
  for (const char* text :
       {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"}) {
    CHECK(is_utf8(text));
  }
  for (const char* text : {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff",
                           "\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xe2\x82("}) {
    CHECK(!is_utf8(text));
  }
}

TEST(numbers_are_distinguished_from_other_text) {
  for (const char* text : {"0", "-0", "0.0", ".0", "0.", "0e5", "+0.00E-7", "0d0"}) {
    CHECK(parse_number(text) == Number::zero);
  }
  for (const char* text : {"1", "-2", "0.5", ".5", "5.", "1e-400", "1D5", "inf", "-Infinity", "+007"}) {
    CHECK(parse_number(text) == Number::nonzero);
  }
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "1.2.3", "nan", "0x1", "1,5", "--1", "1 "}) {
    CHECK(parse_number(text) == Number::none);
  }
}
