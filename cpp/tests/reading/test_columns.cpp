#include "reading/columns.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

namespace {

using Texts = std::vector<std::string>;

Texts columns_of(std::string_view line, char delimiter = Columns::kAny, bool quotes = false) {
  Texts texts;
  std::string room;
  for (Columns columns(line, delimiter, quotes); columns.has_next();) texts.emplace_back(columns.next(room));
  return texts;
}

bool is_broken(std::string_view line) {
  std::string room;
  Columns columns(line, ',', true);
  columns.next(room);
  return columns.is_broken();
}

}  // namespace

TEST(columns_are_separated_by_blanks_or_one_delimiter) {
  CHECK(columns_of(" a\tb  c ") == Texts{"a", "b", "c"});
  CHECK(columns_of("a , b;c") == Texts{"a", "b", "c"});
  CHECK(columns_of("a,,b") == Texts{"a", "", "b"});
  CHECK(columns_of("a,") == Texts{"a", ""});
  CHECK(columns_of("").empty());
  CHECK(columns_of("  ").empty());
}

TEST(a_given_delimiter_leaves_blanks_within_columns) {
  CHECK(columns_of("a b , c;d", ',') == Texts{"a b", "c;d"});
  CHECK(columns_of("a\t\tb c", '\t') == Texts{"a", "", "b c"});
}

TEST(comments_start_a_line_or_follow_a_blank) {
  CHECK(columns_of("# a").empty());
  CHECK(columns_of("  // a").empty());
  CHECK(columns_of("a % b") == Texts{"a"});
  CHECK(columns_of("a#b c") == Texts{"a#b", "c"});
  CHECK(columns_of("a, # b", ',') == Texts{"a", "# b"});
}

TEST(quoted_columns_hold_delimiters_and_quotes) {
  CHECK(columns_of("\"a,b\",c", ',', true) == Texts{"a,b", "c"});
  CHECK(columns_of("\"a \"\"b\"\"\" , c", ',', true) == Texts{"a \"b\"", "c"});
  CHECK(columns_of("\"\",\"\"", ',', true) == Texts{"", ""});
  CHECK(columns_of("\"a\"", ',', false) == Texts{"\"a\""});
  CHECK(is_broken("\"a"));
  CHECK(is_broken("\"a\"b,c"));
  CHECK(!is_broken("\"a\" ,c"));
}

TEST(the_delimiter_of_a_line_is_the_first_outside_quotes) {
  CHECK(delimiter_of("a;b,c") == ';');
  CHECK(delimiter_of("\"a,b\"\tc") == '\t');
  CHECK(delimiter_of("a b") == Columns::kAny);
}
