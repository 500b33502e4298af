#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "reading/reading.hpp"
#include "reading/text_fields.hpp"
#include "tests/check.hpp"

using namespace cliquepool;
using namespace std::string_literals;

namespace {

using Edges = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Read {
  std::int64_t num_nodes = 0;
  Edges edges;  // by their labels
  bool labelled = false;
  bool operator==(const Read&) const = default;
};

// Feeds the text in pieces of this many bytes.
LabelledGraph parse(Format format, std::string_view text, std::size_t piece, const EdgeListOptions& options) {
  const auto parser = make_parser(format, options);
  for (; text.size() > piece; text.remove_prefix(piece)) {
    const std::string copy(text.substr(0, piece));  // of its own, so that a sanitizer sees a read beyond it
    parser->feed(std::string_view(copy.data(), copy.size()));
  }
  parser->feed(text);
  // A mutated header may ask for billions of nodes.
  Budget budget(Limits{.max_bytes = 1 << 26});
  return parser->finish(budget);
}

Read read(Format format, std::string_view text, std::size_t piece = 1 << 16, const EdgeListOptions& options = {}) {
  const LabelledGraph result = parse(format, text, piece, options);
  const GraphView graph = result.graph.view();
  Read read{graph.num_nodes(), {}, result.labels.has_value()};
  const auto label = [&](Node v) { return result.labels ? (*result.labels)[idx(v)] : v; };
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    for (const Node w : graph[v]) {
      if (v < w) read.edges.emplace_back(label(v), label(w));
    }
  }
  return read;
}

struct Named {
  std::vector<std::string> names;
  Edges edges;  // by their ranks
  bool operator==(const Named&) const = default;
};

Named read_names(Format format, std::string_view text, const EdgeListOptions& options = {}) {
  const LabelledGraph result = parse(format, text, 1 << 16, options);
  Named named;
  for (std::size_t i = 0; i < result.names.value().size(); ++i) named.names.emplace_back((*result.names)[i]);
  const GraphView graph = result.graph.view();
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    for (const Node w : graph[v]) {
      if (v < w) named.edges.emplace_back(v, w);
    }
  }
  return named;
}

std::string error_of(Format format, std::string_view text, const EdgeListOptions& options = {}) {
  try {
    read(format, text, 1 << 16, options);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

constexpr Format kFormats[] = {Format::edge_list, Format::csv,       Format::dimacs, Format::matrix_market,
                               Format::metis,     Format::edge_list, Format::csv};

const std::string kExamples[] = {
    "# two columns\n0 1\n1 2\r\n\n3\t1\n1,3 \n 2 ;0\n// end\n10 12345678\n",
    "source,target,weight\n1,2,0.5\n2,900000000000,nan\n3,1,-1e5\n",
    "c example\np edge 4 3\ne 1 2\ne 2 3\ne 4 1\n",
    "%%MatrixMarket matrix coordinate real symmetric\n% comment\n3 3 3\n2 1 1.5\n3 2 0\n3 3 2\n",
    "% comment\n3 2 11 2\n5 1 2 9\n5 1 1 9 3 1\n1 1 2 1\n",
    "# names\nalice bob\n\"b o b\" carol\n10 alice\n",
    "source;target\n\"a \"\"x\"\" b\";c\nc;d\n",
};

}  // namespace

TEST(edge_lists_may_mix_separators_comments_blank_lines_and_line_ends) {
  const Read expected{6, {{0, 1}, {0, 2}, {1, 2}, {1, 3}, {10, 12345678}}, true};
  CHECK(read(Format::edge_list, kExamples[0]) == expected);
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

TEST(name_tables_number_and_rank_names) {
  NameTable table;
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back(std::to_string(i * 7919 % 5000));
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(table.number(names[i]) == static_cast<Node>(i));
  for (std::size_t i = 0; i < names.size(); ++i) CHECK(table.number(names[i]) == static_cast<Node>(i));
  CHECK(!table.contains("x"));
  Budget budget;
  const Buffer<Node> ranks = table.ranks(budget);
  const Names ranked = table.ranked(ranks);
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(ranked[i] == sorted[i]);
    CHECK(ranked[idx(ranks[i])] == names[i]);
  }
}

TEST(utf8_is_told_from_other_bytes) {
  for (const char* text :
       {"", "a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf"}) {
    CHECK(is_utf8(text));
  }
  for (const char* text : {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff",
                           "\xe2\x82", "\xf0\x9f\x98", "\xc3(", "\xe2\x82("}) {
    CHECK(!is_utf8(text));
  }
}

TEST(a_line_without_end_is_refused_before_it_fills_the_memory) {
  const auto parser = make_parser(Format::edge_list);
  const std::string junk(1 << 16, '7');
  CHECK_THROWS(
      [&] {
        for (int i = 0; i < 100; ++i) parser->feed(junk);
      }(),
      GraphError);
  CHECK(parser->bytes() < 1 << 22);
}

TEST(dimacs_is_read_and_checked) {
  const Read expected{4, {{1, 2}, {1, 4}, {2, 3}}, true};
  CHECK(read(Format::dimacs, kExamples[2]) == expected);
  // Both directions listed, each edge counted once.
  CHECK(read(Format::dimacs, "p col 2 1\nn 1 5\ne 1 2\ne 2 1\n").edges == Edges{{1, 2}});
  CHECK(error_of(Format::dimacs, "") == "line 1: expected a line 'p edge NODES EDGES', got the end of the file");
  CHECK(error_of(Format::dimacs, "c\ne 1 2\n").starts_with("line 2: expected a line 'p edge"));
  CHECK(error_of(Format::dimacs, "p edge 3\n") ==
        "line 1: expected a number of edges from 0 to 9223372036854775807, got the end of the line");
  CHECK(error_of(Format::dimacs, "p edge 3 1\ne 1 4\n") == "line 2: expected a node id from 1 to 3, got '4'");
  CHECK(error_of(Format::dimacs, "p edge 3 1\ne 0 1\n") == "line 2: expected a node id from 1 to 3, got '0'");
  CHECK(error_of(Format::dimacs, "p edge 3 2\ne 1 2\n") == "line 3: expected 2 edges before it, as line 1 says, got 1");
  CHECK(error_of(Format::dimacs, "p edge 3 1\ne 1 2 3\n").starts_with("line 2: expected the end of the line"));
  CHECK(error_of(Format::dimacs, "p edge 3 0\np edge 3 0\n").starts_with("line 2: expected one line 'p'"));
  CHECK(error_of(Format::dimacs, "p max 3 0\n") == "line 1: expected 'edge' or 'col' after 'p', got 'max'");
  CHECK(error_of(Format::dimacs, "p edge 2147483648 0\n").starts_with("line 1: expected a number of nodes"));
}

TEST(matrix_market_is_read_and_checked) {
  const Read expected{3, {{1, 2}}, true};
  CHECK(read(Format::matrix_market, kExamples[3]) == expected);
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  CHECK(read(Format::matrix_market, banner + "PATTERN General\n3 3 2\n1 2\n2 1\n") == expected);
  CHECK(read(Format::matrix_market, banner + "complex hermitian\n3 3 2\n2 1 0 1\n3 1 0.0 -0e5\n") == expected);
  CHECK(read(Format::matrix_market, banner + "integer skew-symmetric\n3 3 1\n2 1 -7\n") == expected);
  CHECK(read(Format::matrix_market, banner + "real general\n3 3 1\n2 1 1.5D-300\n") == expected);
  CHECK(error_of(Format::matrix_market, "").starts_with("line 1: expected '%%MatrixMarket"));
  CHECK(error_of(Format::matrix_market, "1 1 0\n").starts_with("line 1: expected '%%MatrixMarket"));
  CHECK(error_of(Format::matrix_market, "%%MatrixMarket matrix array real general\n") ==
        "line 1: expected a sparse matrix, 'coordinate', got 'array'");
  CHECK(error_of(Format::matrix_market, banner + "real general\n").find("end of the file") != std::string::npos);
  CHECK(error_of(Format::matrix_market, banner + "real general\n2 3 0\n") ==
        "line 2: expected a square matrix, got 2 rows and 3 columns");
  CHECK(error_of(Format::matrix_market, banner + "real general\n2 2 2\n1 2 1\n") ==
        "line 4: expected 2 entries before it, as line 2 says, got 1");
  CHECK(error_of(Format::matrix_market, banner + "pattern general\n2 2 0\n1 2\n") ==
        "line 3: expected 0 entries, as line 2 says, got one more");
  CHECK(error_of(Format::matrix_market, banner + "real general\n2 2 1\n1 2 nan\n") ==
        "line 3: expected a number, got 'nan'");
  CHECK(error_of(Format::matrix_market, banner + "real general\n2 2 1\n1 2\n") ==
        "line 3: expected a number, got the end of the line");
  CHECK(error_of(Format::matrix_market, banner + "pattern general\n2 2 1\n1 2 1\n") ==
        "line 3: expected the end of the line after the entry, got '1'");
}

TEST(metis_is_read_and_checked) {
  CHECK(read(Format::metis, kExamples[4]) == Read{3, {{1, 2}, {2, 3}}, true});
  CHECK(read(Format::metis, "3 1\n2\n1\n\n") == Read{3, {{1, 2}}, true});
  CHECK(read(Format::metis, "3 1\n2\n1\n") == Read{3, {{1, 2}}, true});       // the last line is empty, and not ended
  CHECK(read(Format::metis, "\n3 1\n\n3\n\n\n") == Read{3, {{2, 3}}, true});  // listed from one side
  CHECK(read(Format::metis, "2 1 100\n7 2\n7 1\n").edges == Edges{{1, 2}});   // sizes
  CHECK(error_of(Format::metis, "").find("end of the file") != std::string::npos);
  CHECK(error_of(Format::metis, "2\n").starts_with("line 1: expected a number of edges"));
  CHECK(error_of(Format::metis, "2 1 2\n") == "line 1: expected a format of up to three digits 0 or 1, got '2'");
  CHECK(error_of(Format::metis, "2 1\n3\n1\n") == "line 2: expected a node id from 1 to 2, got '3'");
  CHECK(error_of(Format::metis, "2 1\n2\n1\n2\n") ==
        "line 4: expected 2 lines of neighbours, as line 1 says, got one more");
  CHECK(error_of(Format::metis, "3 2\n2\n1\n") == "line 4: expected 3 lines of neighbours, as line 1 says, got 2");
  CHECK(error_of(Format::metis, "2 2\n2\n1\n") ==
        "line 4: expected 2 edges, listed from both sides, as line 1 says, got 1 in 2 neighbours");
  CHECK(error_of(Format::metis, "2 1 1\n2 5\n1\n") == "line 3: expected a weight of the edge, got the end of the line");
  CHECK(error_of(Format::metis, "2 1 10\n\n1 1\n") == "line 2: expected a weight of the node, got the end of the line");
}

TEST(pieces_of_any_size_read_the_same) {
  for (std::size_t i = 0; i < std::size(kFormats); ++i) {
    const Read whole = read(kFormats[i], kExamples[i]);
    for (std::size_t piece = 1; piece < kExamples[i].size(); ++piece) {
      CHECK(read(kFormats[i], kExamples[i], piece) == whole);
    }
  }
}

TEST(broken_files_give_a_graph_or_an_error_and_nothing_else) {
  std::mt19937 random(3);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  const std::string alphabet = "0123456789 \t,;\n\r#%/.-+eEnp\0\xff\xef\"x"s;
  for (int round = 0; round < 30000; ++round) {
    const std::size_t i = below(std::size(kFormats));
    std::string text = round % 10 == 0 ? "" : kExamples[i];
    for (std::size_t changes = 1 + below(round % 10 == 0 ? 60 : 4); changes > 0; --changes) {
      const std::size_t place = below(text.size() + 1);
      switch (below(4)) {
        case 0:
          text.resize(place);
          break;
        case 1:
          if (place < text.size()) text.erase(place, 1 + below(5));
          break;
        default:
          text.insert(place, 1, alphabet[below(alphabet.size())]);
      }
    }
    try {
      read(kFormats[i], text, 1 + below(40));
    } catch (const GraphError& error) {
      CHECK(std::string_view(error.what()).starts_with("line "));
    } catch (const BudgetExceeded&) {
      // A header that asks for billions of nodes.
    }
  }
}

TEST(numbers_are_told_from_other_text) {
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
