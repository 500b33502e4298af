#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "reading/number_table.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

namespace {

// Feeds whole lines, a few at a time, from memory of their own, so that a sanitizer sees a read beyond them.
template <typename Value>
NumberTable<Value> read(std::string_view text, std::size_t columns = 0, std::size_t lines_at_once = 1000) {
  NumberTable<Value> table(columns);
  while (!text.empty()) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < lines_at_once && end < text.size(); ++i) end = text.find('\n', end) + 1;
    const std::string piece(text.substr(0, end));
    table.feed(std::string_view(piece.data(), piece.size()));
    text.remove_prefix(end);
  }
  return table;
}

template <typename Value>
std::vector<Value> values(NumberTable<Value> table) {
  const Buffer<Value> taken = table.take();
  return {taken.begin(), taken.end()};
}

template <typename Value>
std::string error_of(std::string_view text, std::size_t columns = 0) {
  try {
    read<Value>(text, columns);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST(integers_may_be_separated_by_commas_and_blanks) {
  const std::string text = "1, 2\n3,4\n 5\t6 \r\n7 , -8\n+9,\t010\n";
  for (std::size_t lines = 1; lines < 6; ++lines) {
    CHECK(values(read<std::int32_t>(text, 2, lines)) == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, -8, 9, 10});
    CHECK(read<std::int64_t>(text, 0, lines).rows() == 5);
    CHECK(read<std::int64_t>(text, 0, lines).columns() == 2);
  }
}

TEST(blank_lines_are_allowed_at_the_end_only) {
  CHECK(values(read<std::int32_t>("1\n2\n\n \r\n\n", 1, 1)) == std::vector<std::int32_t>{1, 2});
  CHECK(error_of<std::int32_t>("1\n\n2\n", 1) == "line 2: expected 1 integer, got an empty line");
  CHECK(error_of<float>("\n1 2\n") == "line 1: expected numbers, got an empty line");
  CHECK(read<std::int32_t>("", 2).rows() == 0);
}

TEST(lines_of_another_length_are_named) {
  std::string text;
  for (int i = 1; i <= 70000; ++i) text += std::to_string(i) + ", " + std::to_string(i * 31) + "\n";
  CHECK(error_of<std::int32_t>(text + "7\n", 2) == "line 70,001: expected 2 integers, got '7'");
  CHECK(error_of<std::int32_t>("1, 2, 3\n", 2) == "line 1: expected 2 integers, got '1, 2, 3'");
  CHECK(error_of<std::int32_t>("1, 2,\n", 2) == "line 1: expected 2 integers, got '1, 2,'");
  CHECK(error_of<std::int32_t>("1,\n", 2) == "line 1: expected 2 integers, got '1,'");
  CHECK(error_of<std::int32_t>("1,,2\n", 2) == "line 1: expected an integer, got ''");
  CHECK(error_of<std::int32_t>("1, 2,\n") == "line 1: expected an integer, got the end of the line");
  CHECK(error_of<float>("1 2 3\n4 5\n") == "line 2: expected 3 numbers, got '4 5'");
  CHECK(error_of<float>("1 2\n1.00000000001, 2.0000000000002, 3.00000000000003\n") ==
        "line 2: expected 2 numbers, got 3");
}

TEST(what_is_no_integer_is_shown) {
  CHECK(error_of<std::int64_t>("1\n0.5\n", 1) == "line 2: expected an integer, got '0.5'");
  CHECK(error_of<std::int64_t>("x1\n", 1) == "line 1: expected an integer, got 'x1'");
  CHECK(error_of<std::int64_t>("-\n", 1) == "line 1: expected an integer, got '-'");
  CHECK(error_of<std::int64_t>("1\xff\n", 1) == "line 1: expected an integer, got '1\\xff'");
  CHECK(error_of<std::int32_t>("2147483648\n", 1) ==
        "line 1: expected an integer of at most 2147483647 in size, got '2147483648'");
  CHECK(error_of<std::int64_t>("-9223372036854775808\n", 1) ==
        "line 1: expected an integer of at most 9223372036854775807 in size, got '-9223372036854775808'");
}

TEST(integers_of_every_length_are_exact) {
  CHECK(values(read<std::int32_t>("2147483647 -2147483647 0000000000012\n")) ==
        std::vector<std::int32_t>{2147483647, -2147483647, 12});
  CHECK(values(read<std::int64_t>("9223372036854775807 -9223372036854775807\n")) ==
        std::vector<std::int64_t>{INT64_MAX, -INT64_MAX});
}

TEST(decimals_are_the_nearest_as_the_c_library_has_them) {
  std::mt19937_64 random(7);
  std::string text;
  std::vector<float> expected;
  const char* const formats[] = {"%.17g", "%.3f", "%.9e", "%g", "%.25f", "%.0f", "%+.6E"};
  for (int i = 0; i < 20000; ++i) {
    const double sign = random() % 2 == 0 ? 1.0 : -1.0;
    const int exponent = static_cast<int>(random() % 120) - 60;
    const double value = sign * std::ldexp(static_cast<double>(random() >> 11), exponent - 53);
    char field[128];
    std::snprintf(field, sizeof field, formats[random() % std::size(formats)], value);
    text += std::string(field) + "\n";
    expected.push_back(static_cast<float>(std::strtod(field, nullptr)));
  }
  CHECK(values(read<float>(text, 1)) == expected);
}

TEST(decimals_may_be_written_in_many_ways) {
  CHECK(values(read<float>("1 -2.5, .5 5. 1e3 1E-3 +2e+1 0 1e-400 0.1\n")) ==
        std::vector<float>{1, -2.5F, 0.5F, 5, 1000, 0.001F, 20, 0, 0, 0.1F});
}

TEST(numbers_that_are_not_finite_are_refused) {
  for (const std::string field :
       {"nan", "NaN", "inf", "-inf", "1e39", "1e999", "1e", "e5", ".", "1.2.3", "0x10", "--1"})
    CHECK(error_of<float>("1\n" + field + "\n", 1) == "line 2: expected a finite number, got '" + field + "'");
}

TEST(mutated_text_never_reads_beyond_its_lines) {
  std::mt19937 random(11);
  const std::string original = "1, 2\n-3.5, 4e2\n5 6\r\n7,8\n";
  for (int i = 0; i < 20000; ++i) {
    std::string text = original;
    for (int change = 0; change < 3; ++change) text[random() % text.size()] = "0-,. \n\re\x80x9"[random() % 11];
    text += '\n';
    for (const std::size_t columns : {std::size_t{0}, std::size_t{2}}) {
      error_of<float>(text, columns);
      error_of<std::int32_t>(text, columns);
    }
  }
}

TEST(counts_are_written_with_commas) {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1000) == "1,000");
  CHECK(with_commas(-1234567) == "-1,234,567");
  CHECK(with_commas(-123) == "-123");
}
