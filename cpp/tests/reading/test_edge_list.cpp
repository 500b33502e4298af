#include <cstdint>
#include <string>

#include "tests/check.hpp"
#include "tests/reading/parse_text.hpp"

using namespace cliquepool;
using namespace cliquepool::tests;
using namespace std::string_literals;

TEST(edge_lists_may_mix_separators_comments_blank_lines_and_line_ends) {
  const Read expected{6, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {10, 12345678}}, true};
  CHECK(read(Format::edge_list, "# two columns\n0 1\n1 2\r\n\n3\t1\n1,3 \n 2 ;0\n// end\n10 12345678\n") == expected);
}

TEST(edge_lists_need_no_last_newline_and_may_begin_with_a_byte_order_mark) {
  const Read expected{2, {{0, 1}}, false};
  CHECK(read(Format::edge_list, "0 1") == expected);
  CHECK(read(Format::edge_list,
             "\xef\xbb\xbf"
             "0 1\r") == expected);
  CHECK(read(Format::edge_list, "\xef\xbb\xbf# a comment\n0\t\t1 # and one more\n") == expected);
}

TEST(edge_lists_may_be_empty) {
  const Read expected{};
  CHECK(read(Format::edge_list, "") == expected);
  CHECK(read(Format::edge_list, "\n\r\n  \n# nothing\n% here\n//\n") == expected);
  CHECK(read(Format::csv, "source,target\n") == expected);
}

TEST(ids_of_any_length_up_to_64_bits_are_read) {
  std::string text;
  Edges expected;
  std::int64_t id = 1;
  for (int digits = 1; digits <= 19; ++digits, id = digits <= 19 ? id * 10 : id) {
    text += "0 " + std::to_string(id) + "\n" + std::to_string(id) + "\t0\n";
    expected.emplace_back(0, id);
  }
  text += "0 9223372036854775807\n000000000000000000000000000001 0\n";
  expected.emplace_back(0, INT64_MAX);
  CHECK(read(Format::edge_list, text).edges == expected);
  CHECK(
      error_of(Format::edge_list, "0 1\n0 9223372036854775808\n") ==
      "line 2: expected a node id from 0 to 9223372036854775807, got '9223372036854775808' (the ids of the first edge "
      "are integers; ids=\"text\" takes all as text)");
}

TEST(further_columns_are_ignored_but_counted) {
  CHECK(read(Format::edge_list, "0 1 0.5\n1 2 x\n").edges == Edges{{0, 1}, {1, 2}});
  CHECK(error_of(Format::edge_list, "0 1 0.5\n1 2\n") == "line 2: expected 3 columns, got 2");
  CHECK(error_of(Format::edge_list, "0 1\n1 2 3\n") == "line 2: expected 2 columns, got 3");
  CHECK(error_of(Format::edge_list, "0 1\n\n2\n") == "line 3: expected 2 columns, got 1");
  CHECK(error_of(Format::edge_list, "7\n") == "line 1: expected at least 2 columns, got 1");
  CHECK(error_of(Format::csv, "0,1,\n1,2\n") == "line 2: expected 3 columns, got 2");
  CHECK(error_of(Format::csv, "0,,1\n") == "line 1: expected a node id, got an empty column");
}

TEST(a_ragged_line_far_into_a_file_is_named) {
  std::string text;
  for (int i = 1; i <= 70000; ++i) text += std::to_string(i) + " " + std::to_string(i * 31) + "\n";
  CHECK(error_of(Format::edge_list, text + "17\n" + text) == "line 70001: expected 2 columns, got 1");
}

TEST(what_is_not_a_node_id_is_shown) {
  CHECK(error_of(Format::edge_list, "0 1\n2 x\n")
            .starts_with("line 2: expected a node id from 0 to 9223372036854775807, got 'x' ("));
  for (const char* id : {"1.0", "-3", "+3", "nan", "1e3", "0x1", "'7'", "\xff\xfe"}) {
    CHECK(error_of(Format::edge_list, "0 1\n2 "s + id + "\n").starts_with("line 2: expected a node id"));
  }
  CHECK(error_of(Format::edge_list, "0 1\n2 \0\n"s).find("\\x00") != std::string::npos);
  CHECK(error_of(Format::edge_list, "0 1 a\n2 3 \0\n"s) == "line 2: expected text, got '\\x00'");
  CHECK(error_of(Format::edge_list,
                 "\xff\xfe"
                 "0\0 \0"s)
            .find("UTF-16") != std::string::npos);
}

TEST(one_line_of_names_is_for_csv_only) {
  CHECK(read(Format::csv, "# comment\n\"a b\";c\n0;1\n").edges == Edges{{0, 1}});
  CHECK(error_of(Format::edge_list, "source target\n0 1\n").find("csv") != std::string::npos);
  CHECK(error_of(Format::csv, "a,b\nc,d\n").starts_with("line 1: expected the names of columns"));
  CHECK(error_of(Format::csv, "0,1\na,b\n").starts_with("line 2: expected a node id"));
  CHECK(error_of(Format::csv, "hello\n").starts_with("line 1: expected at least 2 columns"));
}

TEST(ids_are_text_where_those_of_the_first_edge_are) {
  const Named expected{{"10", "a", "b"}, {{0, 1}, {1, 2}}};
  CHECK(read_names(Format::edge_list, "b a\n10 a\n") == expected);
  CHECK(read_names(Format::edge_list, "a;10 # comment\n\n\"a\"\tb\r\n") == expected);
  CHECK(read_names(Format::edge_list, "a 10 0.5\nb a x\nb b y\n") == expected);
  CHECK(read_names(Format::edge_list, "1 2\n3 4\n", {IdKind::text, {}}).names.size() == 4);
  CHECK(read_names(Format::edge_list, "x y\n10 a\nb a\n", {{}, true}) == expected);
  CHECK(read_names(Format::edge_list, "a b") == Named{{"a", "b"}, {{0, 1}}});
  CHECK(error_of(Format::edge_list, "0.5 b\n").starts_with("line 1: expected a node id, got '0.5' (a number"));
  CHECK(error_of(Format::edge_list, "b -3\n").starts_with("line 1: expected a node id, got '-3' (a number"));
  CHECK(error_of(Format::edge_list, "a b\nc\n") == "line 2: expected 2 columns, got 1");
  CHECK(error_of(Format::edge_list, "a b\nc \xff\n") == "line 2: expected a node id in UTF-8, got '\\xff'");
  CHECK(error_of(Format::edge_list, "a b\nc \x01\n") == "line 2: expected a node id in UTF-8, got '\\x01'");
}

TEST(columns_of_csv_may_be_quoted_and_hold_blanks) {
  const Named expected{{"Doe, Jane", "Roe", "say \"hi\""}, {{0, 1}, {1, 2}}};
  CHECK(read_names(Format::csv, "source,target\n\"Doe, Jane\",Roe\n Roe ,\"say \"\"hi\"\"\"\n") == expected);
  CHECK(read_names(Format::csv, "source;target\nDoe, Jane; Roe\nRoe;\"say \"\"hi\"\"\" \n") == expected);
  CHECK(read_names(Format::csv, "source\ttarget\r\nDoe, Jane\tRoe\r\nRoe\t say \"hi\"\r\n") == expected);
  CHECK(read_names(Format::csv, "\xef\xbb\xbfsource,target\n\xc3\xa9,a\n").names[1] == "\xc3\xa9");
  CHECK(read(Format::csv, "\"1\",\"2\",\"New York, NY\"\n2,3,Rome\n").edges == Edges{{1, 2}, {2, 3}});
  CHECK(error_of(Format::csv, "source,target\n\"a,b\n").starts_with("line 2: expected a column that ends with its"));
  CHECK(error_of(Format::csv, "source,target\n\"a\"b,c\n").starts_with("line 2: expected a column that ends with"));
  CHECK(error_of(Format::csv, "source,target\na,\n") == "line 2: expected a node id, got an empty column");
  CHECK(error_of(Format::csv, "source,target\na,b,c\n") == "line 2: expected 2 columns, got 3");
}

TEST(a_header_is_told_from_the_lines_after_it_or_asked_for) {
  const Named without{{"b", "c"}, {{0, 1}}};
  const Named with{{"a", "b", "c"}, {{0, 1}, {1, 2}}};
  CHECK(read_names(Format::csv, "From,TO\nb,c\n") == without);
  CHECK(read_names(Format::csv, "person,friend,since\nb,c,1999\n") == without);
  CHECK(read_names(Format::csv, "a,b\nb,c\n") == with);
  CHECK(read_names(Format::csv, "a,b,7\nc,b,8\n") == with);
  CHECK(read_names(Format::csv, "a,b\nb,c\n", {{}, true}) == without);
  CHECK(read_names(Format::csv, "a,b\nc,b\n", {{}, false}) == with);
  CHECK(read(Format::csv, "a,b\n1,2\n").edges == Edges{{1, 2}});
  CHECK(read(Format::csv, "K\xe4ufer,b\n1,2\n").edges == Edges{{1, 2}});  // names need not be in UTF-8
  CHECK(error_of(Format::csv, "K\xe4ufer,b\na,b\n").starts_with("line 1: expected a node id in UTF-8"));
  CHECK(read_names(Format::csv, "a,b\n1,2\n", {{}, false}).names.size() == 4);
  CHECK(read_names(Format::csv, "a,b\n1,2\n", {IdKind::text, {}}).names.size() == 2);
  CHECK(read_names(Format::csv, "1,a\nb,2\n").names.size() == 4);
  CHECK(error_of(Format::csv, "person,friend\nb,c\n").find("header=True or header=False") != std::string::npos);
  CHECK(error_of(Format::csv, "a,b\nc,d\n", {IdKind::integers, {}}).starts_with("line 2: expected a node id, got 'c'"));
  CHECK(read(Format::csv, "a,b\n1,2\n", 9, {IdKind::integers, {}}).edges == Edges{{1, 2}});
}
