#include "cliques/local_problem_builder.hpp"

#include <algorithm>
#include <cstddef>

namespace cliquepool::listing {

namespace {

// A set of kWords words has room for this many local ids. Its last bit stands for all nodes without one, so that they
// need no branch.
template <int kWords>
constexpr int kNarrowIds = kWords * kWordBits - 1;
constexpr std::uint8_t kNoNarrowId = kNarrowIds<4>;
constexpr Node kNoWideId = -1;
constexpr Node kNoNode = -1;

// Removes candidates that are adjacent to no other candidate but to an excluded node: no maximal clique holds them.
// Then an excluded node that is adjacent to a single candidate cannot cover any other set of candidates, and is removed
// too. False if no maximal clique is left.
template <int kWords>
bool remove_isolated(LocalProblem& problem) {
  using Set = Bitset<kWords>;
  const std::size_t num_excluded = problem.num_excluded();
  if (num_excluded == 0) return true;
  Set candidates = Set::load(problem.candidates.data());
  Set covered{};
  for (std::size_t x = 0; x < num_excluded; ++x) covered = covered | Set::load(problem.excluded_row(x));
  Set isolated{};
  (candidates & covered).for_each([&](int i) {
    if (Set::load(problem.row(i)) == Set{}.with(i)) isolated.add(i);
  });
  candidates = candidates - isolated;
  if (candidates.empty()) return false;
  candidates.store(problem.candidates.data());

  Word* out = problem.excluded.data();
  for (std::size_t x = 0; x < num_excluded; ++x) {
    const Set row = Set::load(problem.excluded_row(x)) & candidates;
    if (row == candidates) return false;
    row.store(out);
    out += row.count() < 2 ? 0 : kWords;
  }
  problem.excluded.truncate(static_cast<std::size_t>(out - problem.excluded.data()));
  return true;
}

}  // namespace

LocalProblemBuilder::LocalProblemBuilder(GraphView graph, const OrientedGraph<Node>& oriented, Budget& budget,
                                         Pace& pace)
    : graph_(graph), oriented_(&oriented), pace_(&pace), narrow_id_(budget), wide_id_(budget), earlier_(budget) {
  const std::size_t n = idx(graph.num_nodes());
  narrow_id_.assign(n, kNoNarrowId);
  if (oriented.degeneracy() + 1 > kNarrowIds<4>) wide_id_.assign(n, kNoWideId);
}

bool LocalProblemBuilder::build(Node v, LocalProblem& problem) {
  const auto size = static_cast<int>(oriented_->later(v).size()) + 1;
  if (size <= kNarrowIds<1>) return build_narrow<1>(v, problem);
  if (size <= kNarrowIds<2>) return build_narrow<2>(v, problem);
  if (size <= kNarrowIds<4>) return build_narrow<4>(v, problem);
  return build_wide(v, problem);
}

// Gives local ids to v and its later neighbours. All but v are candidates.
void LocalProblemBuilder::label_nodes(Node v, int words, LocalProblem& problem) {
  const auto later = oriented_->later(v);
  const auto self = std::lower_bound(later.begin(), later.end(), v);
  problem.size = static_cast<int>(later.size()) + 1;
  problem.words = words;
  problem.self = static_cast<int>(self - later.begin());
  problem.excluded.clear();
  const std::size_t ids = idx(words * kWordBits);
  problem.nodes.resize(ids + 1);
  Node* const nodes = problem.nodes.data();
  Node* next = std::copy(later.begin(), self, nodes);
  *next++ = v;
  next = std::copy(self, later.end(), next);
  std::fill(next, nodes + ids + 1, kNoNode);

  problem.candidates.resize(idx(words));
  for (int w = 0; w < words; ++w) {
    const int left = problem.size - w * kWordBits;
    problem.candidates[idx(w)] = left >= kWordBits ? ~Word{0} : left <= 0 ? 0 : bit_of(left) - 1;
  }
  clear_bit(problem.candidates.data(), problem.self);
}

// The neighbours of v without a local id.
std::span<const Node> LocalProblemBuilder::earlier_neighbours(Node v, const LocalProblem& problem) {
  const auto all = graph_[v];
  earlier_.resize(all.size() + 1);  // one more, to be written and overwritten without a branch
  Node* out = earlier_.data();
  const Node* next = problem.nodes.data();
  for (const Node u : all) {
    next += *next == v;
    const bool later = *next == u;
    *out = u;
    out += !later;
    next += later;
  }
  return {earlier_.data(), out};
}

template <int kWords>
bool LocalProblemBuilder::build_narrow(Node v, LocalProblem& problem) {
  label_nodes(v, kWords, problem);
  std::uint8_t* const id = narrow_id_.data();
  const auto labelled_nodes = problem.nodes.span().first(idx(problem.size));
  for (std::size_t i = 0; i < labelled_nodes.size(); ++i) id[labelled_nodes[i]] = static_cast<std::uint8_t>(i);
  id[v] = kNoNarrowId;
  bool maximal = exclude_narrow<kWords>(v, problem);
  if (maximal) {
    connect_narrow<kWords>(problem);
    maximal = remove_isolated<kWords>(problem);
  }
  for (const Node node : labelled_nodes) id[node] = kNoNarrowId;
  return maximal;
}

// The local ids of those `nodes` that have one. The last bit may be set.
template <int kWords>
Bitset<kWords> LocalProblemBuilder::labelled(std::span<const Node> nodes) const {
  const std::uint8_t* const id = narrow_id_.data();
  Bitset<kWords> set{};
  for (const Node node : nodes) set.words[id[node] / kWordBits % kWords] |= bit_of(id[node]);
  return set;
}

// Fills the rows of the excluded nodes: the earlier neighbours of v. False if one is adjacent to all candidates.
template <int kWords>
bool LocalProblemBuilder::exclude_narrow(Node v, LocalProblem& problem) {
  const auto candidates = Bitset<kWords>::load(problem.candidates.data());
  const auto earlier = earlier_neighbours(v, problem);
  Word* const first = problem.excluded.reserve_more(earlier.size() * kWords);
  Word* out = first;
  for (const Node x : earlier) {
    pace_->step();
    const Bitset<kWords> row = labelled<kWords>(oriented_->later(x)) & candidates;
    if (row == candidates) return false;
    row.store(out);
    out += row.empty() ? 0 : kWords;
  }
  problem.excluded.commit(static_cast<std::size_t>(out - first));
  return true;
}

// Fills the rows of the candidates.
template <int kWords>
void LocalProblemBuilder::connect_narrow(LocalProblem& problem) const {
  problem.rows.assign(idx(problem.size) * kWords, 0);
  const auto candidates = Bitset<kWords>::load(problem.candidates.data());
  candidates.for_each([&](int i) {
    const Bitset<kWords> later = labelled<kWords>(oriented_->later(problem.nodes[idx(i)])) & candidates;
    Bitset<kWords>::kWidth.unite(problem.row(i), later.with(i).words);
    later.for_each([&](int j) { set_bit(problem.row(j), i); });
  });
}

bool LocalProblemBuilder::build_wide(Node v, LocalProblem& problem) {
  label_nodes(v, words_for(static_cast<int>(oriented_->later(v).size()) + 1), problem);
  Node* const id = wide_id_.data();
  for (int i = 0; i < problem.size; ++i) id[problem.nodes[idx(i)]] = i;
  id[v] = kNoWideId;
  const bool maximal = exclude_wide(v, problem);
  if (maximal) connect_wide(problem);
  for (int i = 0; i < problem.size; ++i) id[problem.nodes[idx(i)]] = kNoWideId;
  return maximal;
}

bool LocalProblemBuilder::exclude_wide(Node v, LocalProblem& problem) {
  const std::size_t words = idx(problem.words);
  for (const Node x : earlier_neighbours(v, problem)) {
    const auto later = oriented_->later(x);
    Word* const row = problem.excluded.reserve_more(words);
    std::fill_n(row, words, Word{0});
    int adjacent = 0;
    for (const Node u : later) {
      const Node i = wide_id_[idx(u)];
      if (i == kNoWideId) continue;
      set_bit(row, i);
      ++adjacent;
    }
    if (adjacent + 1 == problem.size) return false;
    if (adjacent > 0) problem.excluded.commit(words);
    pace_->step((words + later.size()) / 8);
  }
  return true;
}

void LocalProblemBuilder::connect_wide(LocalProblem& problem) {
  problem.rows.assign(idx(problem.size) * idx(problem.words), 0);
  for (int i = 0; i < problem.size; ++i) {
    if (i == problem.self) continue;
    set_bit(problem.row(i), i);
    const auto later = oriented_->later(problem.nodes[idx(i)]);
    for (const Node u : later) {
      const Node j = wide_id_[idx(u)];
      if (j == kNoWideId) continue;
      set_bit(problem.row(i), j);
      set_bit(problem.row(j), i);
    }
    pace_->step(later.size() / 4);
  }
}

}  // namespace cliquepool::listing
