#include "reading/reading.hpp"

#include <cstddef>
#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include "base/errors.hpp"
#include "tests/check.hpp"
#include "tests/reading/parse_text.hpp"

using namespace cliquepool;
using namespace cliquepool::tests;
using namespace std::string_literals;

namespace {

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
      const std::size_t position = below(text.size() + 1);
      switch (below(4)) {
        case 0:
          text.resize(position);
          break;
        case 1:
          if (position < text.size()) text.erase(position, 1 + below(5));
          break;
        default:
          text.insert(position, 1, alphabet[below(alphabet.size())]);
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

TEST(a_finished_parser_charges_its_graph_alone) {
  for (std::size_t i = 0; i < 5; ++i) {
    const auto parser = make_parser(kFormats[i]);
    parser->feed(kExamples[i]);
    Budget budget;
    const LabelledGraph result = parser->finish(budget);
    const std::size_t bytes = result.graph.offsets.size() * sizeof(Offset) +
                              result.graph.neighbours.size() * sizeof(Node) +
                              (result.labels ? result.labels->size() * sizeof(std::int64_t) : 0);
    CHECK(budget.bytes() == static_cast<std::int64_t>(bytes));
  }
}
