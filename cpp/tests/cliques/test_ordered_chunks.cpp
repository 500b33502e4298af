#include "cliques/ordered_chunks.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "tests/check.hpp"
#include "tests/cliques/clique_cases.hpp"

using namespace cliquepool;
using namespace cliquepool::listing;
using namespace cliquepool::tests;

namespace {

Ragged ragged(const Cliques& lists, Budget& budget) {
  Ragged result;
  for (const auto& list : lists) result.append(list);
  budget.add_bytes(result.bytes());
  return result;
}

}  // namespace

TEST(chunks_are_concatenated_by_their_numbers) {
  const std::vector<Cliques> lists = {{{0, 1}, {2}}, {}, {{3}}, {{4, 5, 6}}, {{7}, {8}}};
  const Cliques expected = {{0, 1}, {2}, {3}, {4, 5, 6}, {7}, {8}};
  std::vector<std::size_t> order(lists.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    Budget budget;
    OrderedChunks chunks(budget);
    for (const std::size_t chunk : order) chunks.add(chunk, ragged(lists[chunk], budget));
    const Ragged result = chunks.take();
    CHECK(to_lists(result) == expected);
    CHECK(budget.bytes() == result.bytes());
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(no_chunks_make_an_empty_list) {
  Budget budget;
  CHECK(OrderedChunks(budget).take().size() == 0);
}
