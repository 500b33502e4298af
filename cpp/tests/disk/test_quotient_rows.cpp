#include "disk/quotient_rows.hpp"

#include <vector>

#include "graph/twins.hpp"
#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

TEST(written_quotients_equal_those_built_in_memory) {
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    // Dense graphs have twins.
    const Graph graph =
        graph_of(random_matrix(random_between(1, 30, random), random_density(0.5, 0.99, random), random));
    Budget budget;
    TwinLevel expected;
    TwinFinder().run(graph.view(), budget, expected);
    TwinLevel found;
    TwinFinder().find_classes(graph.view(), budget, found);
    CHECK(std::equal(found.classes.begin(), found.classes.end(), expected.classes.begin(), expected.classes.end()));
    CHECK(std::equal(found.sizes.begin(), found.sizes.end(), expected.sizes.begin(), expected.sizes.end()));
    CHECK(found.quotient.offsets.empty());
    const GraphView quotient = expected.quotient_or(graph.view());

    QuotientRows rows(graph.view(), found.classes.span(), budget);
    std::vector<Offset> offsets(found.sizes.size() + 1);
    rows.write_offsets(offsets);
    CHECK(std::equal(offsets.begin(), offsets.end(), quotient.offsets.begin(), quotient.offsets.end()));
    Nodes neighbours(idx(offsets.back()));
    rows.write_neighbours(neighbours);
    CHECK(std::equal(neighbours.begin(), neighbours.end(), quotient.neighbours.begin(), quotient.neighbours.end()));
  }
}
