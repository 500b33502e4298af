// Builds the local problem of each node in turn, with arrays kept between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "cliques/local_problem.hpp"

namespace cliquepool::listing {

class LocalBuilder {
 public:
  LocalBuilder(GraphView graph, const LaterNeighbours& later, Budget& budget)
      : graph_(graph), later_(&later), narrow_place_(budget), wide_place_(budget), pace_(budget) {
    const std::size_t n = idx(graph.num_nodes());
    narrow_place_.resize(n);
    std::fill_n(narrow_place_.data(), n, kNarrowAbsent);
    if (idx(later.degeneracy()) + 1 > kNarrowIds) {
      wide_place_.resize(n);
      std::fill_n(wide_place_.data(), n, kWideAbsent);
    }
  }

  // The problem of v, no excluded node of which is adjacent to all candidates. False if no clique that begins at v
  // is maximal. There must be later neighbours.
  bool build(Node v, LocalProblem& problem) {
    const std::size_t size = (*later_)[v].size() + 1;
    if (size <= kNarrow<1>) return build_narrow<1>(v, problem);
    if (size <= kNarrow<2>) return build_narrow<2>(v, problem);
    if (size <= kNarrow<4>) return build_narrow<4>(v, problem);
    return build_wide(v, problem);
  }

 private:
  // In W words the last bit stands for nodes that are not in the table, so that they need no branch.
  template <int W>
  static constexpr std::size_t kNarrow = W * kWordBits - 1;
  static constexpr std::size_t kNarrowIds = kNarrow<4>;
  static constexpr std::uint8_t kNarrowAbsent = 255;
  static constexpr Node kWideAbsent = -1;

  // The table of local ids: v and its later neighbours, candidates all of them but v.
  void fill_table(Node v, std::size_t words, LocalProblem& problem) {
    const auto later = (*later_)[v];
    const std::size_t size = later.size() + 1;
    problem.reset(size, words);
    Node* const nodes = problem.nodes.data();
    own_id_ = static_cast<int>(std::lower_bound(later.begin(), later.end(), v) - later.begin());
    std::copy_n(later.data(), own_id_, nodes);
    nodes[own_id_] = v;
    std::copy(later.begin() + static_cast<std::ptrdiff_t>(own_id_), later.end(), nodes + own_id_ + 1);
    set_bit(problem.taken.data(), own_id_);
    for (std::size_t i = 0; i < size; ++i) set_bit(problem.candidates.data(), static_cast<int>(i));
    clear_bit(problem.candidates.data(), own_id_);
  }

  // The neighbours of v that are not in the table.
  std::span<const Node> earlier(Node v, const LocalProblem& problem) {
    const auto all = graph_[v];
    earlier_.resize(all.size() + 1);
    Node* const found = earlier_.data();
    const Node* next = problem.nodes.data();
    std::size_t before = 0;
    for (const Node u : all) {
      next += *next == v;
      const bool later = *next == u;
      found[before] = u;
      before += !later;
      next += later;
    }
    return {found, before};
  }

  template <int W>
  bool build_narrow(Node v, LocalProblem& problem) {
    fill_table(v, W, problem);
    std::uint8_t* const place = narrow_place_.data();
    for (std::size_t i = 0; i < problem.size; ++i) place[problem.nodes[i]] = static_cast<std::uint8_t>(i);
    place[v] = kNarrowAbsent;
    bool alive = exclude_narrow<W>(v, problem);
    if (alive) {
      connect_narrow<W>(problem);
      alive = drop_idle<W>(problem);
    }
    for (std::size_t i = 0; i < problem.size; ++i) place[problem.nodes[i]] = kNarrowAbsent;
    return alive;
  }

  // The local ids of those `nodes` that are in the table, and perhaps the last bit.
  template <int W>
  Bitset<W> places_of(std::span<const Node> nodes) const {
    const std::uint8_t* const place = narrow_place_.data();
    Bitset<W> set{};
    for (const Node node : nodes) set.words[place[node] / kWordBits % W] |= bit_of(place[node]);
    return set;
  }

  template <int W>
  bool exclude_narrow(Node v, LocalProblem& problem) {
    const Bitset<W> candidates = Bitset<W>::load(problem.candidates.data());
    const auto before = earlier(v, problem);
    Word* out = problem.excluded.room(before.size() * W);
    for (const Node x : before) {
      pace_.step();
      const Bitset<W> row = places_of<W>((*later_)[x]) & candidates;
      if (row == candidates) return false;
      row.store(out);
      out += row.empty() ? 0 : W;
    }
    problem.excluded.commit(static_cast<std::size_t>(out - problem.excluded.data()));
    problem.num_excluded = problem.excluded.size() / W;
    return true;
  }

  template <int W>
  void connect_narrow(LocalProblem& problem) {
    problem.rows.resize(problem.size * W);
    Word* const rows = problem.rows.data();
    std::fill_n(rows, problem.size * W, Word{0});
    const Bitset<W> candidates = Bitset<W>::load(problem.candidates.data());
    candidates.for_each([&](int i) {
      const Bitset<W> row = places_of<W>((*later_)[problem.nodes[i]]) & candidates;
      for (int k = 0; k < W; ++k) rows[i * W + k] |= row.words[k];
      row.for_each([&](int j) { set_bit(rows + j * W, i); });
    });
  }

  // A candidate without neighbours is done with when an excluded node is adjacent to it; after that an excluded
  // node adjacent to a single candidate can exclude nothing. False if nothing is left to find.
  template <int W>
  bool drop_idle(LocalProblem& problem) {
    if (problem.num_excluded == 0) return true;
    Bitset<W> candidates = Bitset<W>::load(problem.candidates.data());
    Bitset<W> covered{};
    for (std::size_t x = 0; x < problem.num_excluded; ++x) covered = covered | Bitset<W>::load(problem.excluded_row(x));
    Bitset<W> done{};
    (candidates & covered).for_each([&](int i) {
      if (Bitset<W>::load(problem.row(i)).empty()) done.add(i);
    });
    candidates = candidates - done;
    if (candidates.empty()) return false;
    candidates.store(problem.candidates.data());
    Word* out = problem.excluded.data();
    for (std::size_t x = 0; x < problem.num_excluded; ++x) {
      const Bitset<W> row = Bitset<W>::load(problem.excluded_row(x)) & candidates;
      if (row == candidates) return false;
      row.store(out);
      out += row.count() < 2 ? 0 : W;
    }
    problem.excluded.truncate(static_cast<std::size_t>(out - problem.excluded.data()));
    problem.num_excluded = problem.excluded.size() / W;
    return true;
  }

  bool build_wide(Node v, LocalProblem& problem) {
    fill_table(v, static_cast<std::size_t>(words_for(static_cast<int>((*later_)[v].size()) + 1)), problem);
    Node* const place = wide_place_.data();
    for (std::size_t i = 0; i < problem.size; ++i) place[problem.nodes[i]] = static_cast<Node>(i);
    place[v] = kWideAbsent;
    const bool alive = exclude_wide(v, problem);
    if (alive) connect_wide(problem);
    for (std::size_t i = 0; i < problem.size; ++i) place[problem.nodes[i]] = kWideAbsent;
    return alive;
  }

  bool exclude_wide(Node v, LocalProblem& problem) {
    const Node* const place = wide_place_.data();
    const std::size_t words = problem.words;
    for (const Node x : earlier(v, problem)) {
      const auto later = (*later_)[x];
      Word* const row = problem.excluded.room(words);
      std::fill_n(row, words, Word{0});
      std::size_t adjacent = 0;
      for (const Node u : later) {
        const Node i = place[u];
        if (i == kWideAbsent) continue;
        set_bit(row, i);
        ++adjacent;
      }
      if (adjacent + 1 == problem.size) return false;
      if (adjacent > 0) problem.excluded.commit(words);
      pace_.step((words + later.size()) / 8);
    }
    problem.num_excluded = problem.excluded.size() / words;
    return true;
  }

  void connect_wide(LocalProblem& problem) {
    const Node* const place = wide_place_.data();
    const std::size_t words = problem.words;
    problem.rows.resize(problem.size * words);
    std::fill_n(problem.rows.data(), problem.size * words, Word{0});
    for (std::size_t i = 0; i < problem.size; ++i) {
      if (i == idx(own_id_)) continue;
      const auto later = (*later_)[problem.nodes[i]];
      for (const Node u : later) {
        const Node j = place[u];
        if (j == kWideAbsent) continue;
        set_bit(problem.row(i), j);
        set_bit(problem.row(idx(j)), static_cast<int>(i));
      }
      pace_.step(later.size() / 4);
    }
  }

  GraphView graph_;
  const LaterNeighbours* later_;
  Charged<std::uint8_t> narrow_place_;
  Charged<Node> wide_place_;
  Buffer<Node> earlier_;
  int own_id_ = 0;
  Pace pace_;
};

}  // namespace cliquepool::listing
