#include "pooling/complement_matching.hpp"

#include "tests/check.hpp"
#include "tests/pooling/local_graphs.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

// The size of a maximum matching between two copies of `among`, by augmenting paths found depth-first.
class NaiveMatching {
 public:
  NaiveMatching(const Matrix& adjacent, const Nodes& among) : adjacent_(adjacent), among_(among) {}
  Node size() {
    mate_.assign(adjacent_.size(), -1);
    Node matched = 0;
    for (const Node u : among_) {
      seen_.assign(adjacent_.size(), false);
      matched += augment(u);
    }
    return matched;
  }

 private:
  bool augment(Node u) {
    for (const Node v : among_) {
      if (u == v || adjacent_[idx(u)][idx(v)] || seen_[idx(v)]) continue;
      seen_[idx(v)] = true;
      if (mate_[idx(v)] >= 0 && !augment(mate_[idx(v)])) continue;
      mate_[idx(v)] = u;
      return true;
    }
    return false;
  }

  const Matrix& adjacent_;
  const Nodes& among_;
  Nodes mate_;
  std::vector<bool> seen_;
};

}  // namespace

// The same object serves sets that shrink, as in a search, and sets that grow, as after it went back.
TEST(matchings_of_changing_sets_are_maximum_and_bound_cliques) {
  Random random(1);
  Budget budget;
  Pace pace(budget);
  Effort effort;
  effort.begin(std::int64_t{1} << 40, pace);
  ComplementMatching matching;
  for (const Node n : kSizesOfEveryWidth) {
    const Matrix adjacent = random_matrix(n, random_density(0.8, 0.99, random), random);
    const BitGraph graph = bit_graph(adjacent, ones(n));
    matching.reset();
    for (int i = 0; i < 5; ++i) {
      const Nodes among = i == 0 ? all_nodes(n) : random_subset(n, random);
      const std::vector<Word> set = set_of(among, graph.words);
      with_width(graph, [&](auto width) {
        const Node size = matching.size(width, graph, set.data(), effort);
        CHECK(size == NaiveMatching(adjacent, among).size());
        if (n <= 30)
          CHECK(static_cast<Node>(among.size()) - (size + 1) / 2 >= max_clique_weight(adjacent, ones(n), among));
      });
    }
  }
}

TEST(a_matching_is_worthwhile_where_at_most_one_pair_in_sixteen_is_missing) {
  Budget budget;
  Pace pace(budget);
  Effort effort;
  effort.begin(1 << 30, pace);
  // 33 nodes have 528 pairs: 33 may be missing.
  for (const Node missing : {0, 33, 34}) {
    const Matrix adjacent = matrix(33, [&](Node u, Node v) { return v * (v - 1) / 2 + u >= missing; });
    const BitGraph graph = bit_graph(adjacent, ones(33));
    const std::vector<Word> all = set_of(all_nodes(33), 1);
    CHECK(ComplementMatching::is_worthwhile(Width<1>(1), graph, all.data(), 33, effort) == (missing <= 33));
  }
}
