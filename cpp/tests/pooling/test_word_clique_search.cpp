#include "pooling/word_clique_search.hpp"

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using namespace naive;

namespace {

constexpr std::int64_t kPlenty = 1'000'000'000;

// The vertices of a matrix, numbered from 100 so that ids and slots differ.
struct Vertices {
  Vertices(const Matrix& adjacent, const Nodes& weights) {
    int bits = 0;
    for (const Node weight : weights) {
      heads |= Word{1} << bits;
      twins.push_back((~Word{0} >> (kWordBits - weight)) << bits);
      vertex.push_back(100 + static_cast<Node>(vertex.size()));
      all |= twins.back();
      bits += weight;
    }
    for (std::size_t u = 0; u < twins.size(); ++u) {
      later.push_back(0);
      for (std::size_t v = u + 1; v < twins.size(); ++v) later[u] |= adjacent[u][v] ? twins[v] : 0;
    }
  }
  WordVertices view() const { return {heads, twins.data(), later.data(), vertex.data()}; }

  Word heads = 0;
  Word all = 0;
  std::vector<Word> twins;
  std::vector<Word> later;
  Nodes vertex;
};

Lists listed_ids(const Ragged& cliques) {
  Lists lists = lists_of(cliques.view());
  for (Nodes& clique : lists)
    for (Node& v : clique) v -= 100;
  return lists;
}

}  // namespace

TEST(a_slot_is_found_by_the_first_bit_of_its_vertex) {
  const Vertices vertices(complete(4), {3, 1, 59, 1});
  CHECK(vertices.view().slot(Word{1}) == 0);
  CHECK(vertices.view().slot(Word{1} << 3 | Word{1} << 63) == 1);
  CHECK(vertices.view().slot(Word{1} << 4) == 2);
  CHECK(vertices.view().slot(Word{1} << 63) == 3);
}

TEST(a_word_search_finds_the_heaviest_cliques_of_any_subset_in_canonical_order) {
  Random random(1);
  for (int i = 0; i < 500; ++i) {
    const Node n = random_between(1, i % 10 == 0 ? 64 : 20, random);
    const Matrix adjacent = random_matrix(n, random_density(0.1, n > 20 ? 0.4 : 0.95, random), random);
    const Nodes weights = random_weights(n, n > 20 ? 1 : 1 + i % 3, random);
    const Vertices vertices(adjacent, weights);
    Word among = 0;
    std::vector<bool> live(idx(n));
    for (std::size_t v = 0; v < live.size(); ++v) {
      live[v] = random_between(0, 4, random) > 0;
      if (live[v]) among |= vertices.twins[v];
    }
    CliqueSearch naive_search(adjacent, weights);
    const Lists expected = canonical(naive_search.heaviest(live), weights);
    const Node weight = naive_search.weight();

    WordCliqueSearch search(vertices.view(), kPlenty);
    CHECK(search.max_weight(among, 0) == weight);
    CHECK(search.max_weight(among, weight) == weight);
    CHECK(search.max_weight(among, weight + 3) == weight + 3);
    if (weight == 0) continue;
    Ragged cliques;
    search.list(among, weight, cliques);
    CHECK(listed_ids(cliques) == expected);
    cliques.clear();
    search.list(among, weight + 1, cliques);
    CHECK(cliques.size() == 0);
    search.list_with(7, among, weight, cliques);
    CHECK(cliques.size() == static_cast<Offset>(expected.size()));
    for (Offset c = 0; c < cliques.size(); ++c) {
      CHECK(cliques[c].front() == 7);
      CHECK(cliques[c].size() == expected[idx(c)].size() + 1);
    }
  }
}

TEST(a_clique_of_the_added_vertex_alone_needs_no_search) {
  const Vertices vertices(complete(2), ones(2));
  WordCliqueSearch search(vertices.view(), 0);
  Ragged cliques;
  search.list_with(7, 0, 0, cliques);
  CHECK(lists_of(cliques.view()) == Lists{{7}});
  CHECK(search.effort() == 0);
}

TEST(a_clique_may_have_all_64_vertices_of_a_word_and_the_one_added) {
  const Vertices vertices(complete(64), ones(64));
  WordCliqueSearch search(vertices.view(), kPlenty);
  CHECK(search.max_weight(vertices.all, 0) == 64);
  Ragged cliques;
  search.list_with(7, vertices.all, 64, cliques);
  CHECK(cliques.size() == 1 && cliques[0].size() == 65);
}

TEST(a_word_search_stops_once_its_effort_is_spent) {
  const Vertices vertices(complement_of_groups(20, 3), ones(60));
  WordCliqueSearch bounding(vertices.view(), 100);
  bounding.max_weight(vertices.all, 0);
  CHECK(bounding.effort() < 0);
  WordCliqueSearch listing(vertices.view(), 100);
  Ragged cliques;
  listing.list(vertices.all, 20, cliques);
  CHECK(listing.effort() < 0);
  CHECK(cliques.size() <= 100);
}
