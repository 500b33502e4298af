#include "reading/name_table.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

TEST(name_tables_number_and_rank_names) {
  NameTable table;
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back(std::to_string(i * 7919 % 5000));
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(table.number(names[i]) == static_cast<Node>(i));
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(table.number(names[i]) == static_cast<Node>(i));
  CHECK(!table.contains("x"));
  Budget budget;
  const ChargedBuffer<Node> ranks = table.ranks(budget);
  const Names ranked = table.sorted(ranks.span(), budget);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(ranked[i] == sorted[i]);
    CHECK(ranked[idx(ranks[i])] == names[i]);
  }
}

TEST(empty_name_tables_contain_nothing) {
  const NameTable table;
  CHECK(table.size() == 0);
  CHECK(!table.contains(""));
  Budget budget;
  CHECK(table.ranks(budget).empty());
  CHECK(table.sorted({}, budget).size() == 0);
}

TEST(names_are_compared_as_a_whole) {
  NameTable table;
  CHECK(table.number("") == 0);
  CHECK(table.number("a") == 1);
  CHECK(table.number("ab") == 2);
  CHECK(table.number(std::string("a\0b", 3)) == 3);
  CHECK(table.number("a") == 1);
  CHECK(table.contains("ab") && !table.contains("b"));
}

TEST(sorting_names_leaves_the_charge_of_the_names_alone) {
  NameTable table;
  for (const char* name : {"bc", "a", "def"}) table.number(name);
  Budget budget;
  const Names names = [&] {
    const ChargedBuffer<Node> ranks = table.ranks(budget);
    return table.sorted(ranks.span(), budget);
  }();
  CHECK(names[0] == "a" && names[1] == "bc" && names[2] == "def");
  CHECK(budget.bytes() == 6 + 3 * static_cast<std::int64_t>(sizeof(std::int64_t)));
}
