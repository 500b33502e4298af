#include <cstdint>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "graph/flat_graphs.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

namespace {

using Nodes = std::vector<Node>;
using Offsets = std::vector<Offset>;

std::string error_of(const Offsets& node_start, const Offsets& indptr, const Nodes& indices) {
  Budget budget;
  try {
    validate_flat_graphs(node_start, {indptr, indices}, budget);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST(flat_graphs_are_simple_and_numbered_inside_themselves) {
  Budget budget;
  // A triangle listed twice over, a graph without nodes, a loop, an edge in one direction.
  const Nodes pairs{0, 1, 1, 0, 2, 1, 2, 0, 0, 2, 3, 3, 5, 4};
  const Offsets node_start{0, 3, 3, 4, 6};
  const Graph all = build_flat_graphs(pairs, node_start, budget);
  CHECK(Offsets(all.offsets.begin(), all.offsets.end()) == Offsets{0, 2, 4, 6, 6, 7, 8});
  CHECK(Nodes(all.neighbours.begin(), all.neighbours.end()) == Nodes{1, 2, 0, 2, 0, 1, 1, 0});
  validate_flat_graphs(node_start, all.view(), budget);
}

TEST(stray_edges_are_found) {
  Budget budget;
  const Offsets node_start{0, 2, 4};
  CHECK(!first_stray_edge(Nodes{0, 1, 2, 3}, node_start, budget));
  CHECK(first_stray_edge(Nodes{0, 1, 1, 2}, node_start, budget) == std::size_t{1});
  CHECK(first_stray_edge(Nodes{0, 4}, node_start, budget) == std::size_t{0});
  CHECK(first_stray_edge(Nodes{0, 1, 3, 2, -1, 0}, node_start, budget) == std::size_t{2});
  CHECK_THROWS(build_flat_graphs(Nodes{0, 2}, node_start, budget), GraphError);
  CHECK_THROWS(first_stray_edge(Nodes{}, Offsets{0, 3, 2}, budget), GraphError);
}

TEST(flat_graphs_of_nothing_are_empty) {
  Budget budget;
  const Graph all = build_flat_graphs(Nodes{}, Offsets{0, 0}, budget);
  CHECK(all.offsets.size() == 1);
  CHECK(all.neighbours.empty());
  CHECK(error_of({0}, {0}, {}) == "none");
}

TEST(wrong_flat_graphs_are_refused_with_their_number) {
  CHECK(error_of({0, 2, 4}, {0, 1, 2, 3, 4}, {1, 0, 1, 0}) == "none");
  CHECK(error_of({0, 2, 4}, {0, 1, 2, 3, 4}, {1, 0, 1, 2}) ==
        "graph 1: node 1: expected neighbours from 0 to 1, got 2");
  CHECK(error_of({0, 2, 4}, {0, 1, 2, 2, 3}, {1, 0, 0}).starts_with("graph 1: expected both directions"));
  CHECK(error_of({0, 3, 2, 4}, {0, 1, 2, 3, 4}, {1, 0, 1, 0}).starts_with("node_start: expected"));
  CHECK(error_of({0, 2, 4}, {0, 1, 3, 2, 4}, {1, 0, 1, 0}).starts_with("indptr: expected"));
  CHECK(error_of({0, 2, 4}, {0, 1, 2, 3, 5}, {1, 0, 1, 0}).starts_with("indptr: expected"));
  CHECK(error_of({}, {0}, {}).starts_with("node_start: expected"));
  CHECK(error_of({0}, {}, {}).starts_with("indptr: expected"));
}
