// Where a search puts the cliques it finds: into a list, or into counts by size.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "cliques/local_problem.hpp"

namespace cliquepool::listing {

// Charges cliques to the budget in batches: an atomic addition for each would cost as much as finding it.
class CliqueTally {
 public:
  explicit CliqueTally(Budget& budget) : budget_(&budget) {}
  void add_one() {
    if (++pending_ >= kBatch) flush();
  }
  void flush() { budget_->add_cliques(std::exchange(pending_, 0)); }

 private:
  static constexpr std::int64_t kBatch = 512;
  Budget* budget_;
  std::int64_t pending_ = 0;
};

// Both sinks take a clique as a set of local ids, or as its nodes in ascending order, and ignore those of fewer than
// `min_size` nodes.

class CliqueList {
 public:
  CliqueList(Node min_size, Budget& budget)
      : min_size_(idx(min_size)), offsets_(budget), members_(budget), tally_(budget) {
    offsets_.push_back(0);
  }

  template <int kWords>
  void put(const NodeTable& table, Width<kWords> width, const Word* clique) {
    const std::size_t size = idx(width.count(clique)) + table.unlabelled.size();
    if (size < min_size_) return;
    Node* const out = members_.reserve_more(size + kUnrolled);
    if (table.unlabelled.empty()) {
      write(table.nodes, width, clique, out);
    } else {
      merge(table, width, clique, out);
    }
    close(size);
  }
  void put(std::span<const Node> clique) {
    if (clique.size() < min_size_) return;
    std::copy(clique.begin(), clique.end(), members_.reserve_more(clique.size()));
    close(clique.size());
  }

  // Hands out the cliques so far, which stay charged to the budget, and starts an empty list.
  Ragged take() {
    tally_.flush();
    Ragged list;
    list.offsets = offsets_.take();
    list.members = members_.take();
    offsets_.push_back(0);
    return list;
  }

 private:
  static constexpr std::size_t kUnrolled = 4;

  // Writes four nodes at a time, past the end of the clique, so that branches are predictable.
  template <int kWords>
  static void write(const Node* nodes, Width<kWords> width, const Word* clique, Node* out) {
    constexpr Word kLast = Word{1} << (kWordBits - 1);  // a bit to find when none is left
    for (int w = 0; w < width.words(); ++w, nodes += kWordBits) {
      Node* next = out;
      Word left = clique[w];
      out += std::popcount(left);
      while (left != 0) {
        for (std::size_t i = 0; i < kUnrolled; ++i) {
          *next++ = nodes[std::countr_zero(left | kLast)];
          left &= left - 1;
        }
      }
    }
  }
  template <int kWords>
  static void merge(const NodeTable& table, Width<kWords> width, const Word* clique, Node* out) {
    auto unlabelled = table.unlabelled.begin();
    width.for_each(clique, [&](int i) {
      const Node node = table.nodes[i];
      while (unlabelled != table.unlabelled.end() && *unlabelled < node) *out++ = *unlabelled++;
      *out++ = node;
    });
    std::copy(unlabelled, table.unlabelled.end(), out);
  }
  void close(std::size_t size) {
    members_.commit(size);
    offsets_.push_back(static_cast<Offset>(members_.size()));
    tally_.add_one();
  }

  std::size_t min_size_;
  ChargedBuffer<Offset> offsets_;
  ChargedBuffer<Node> members_;
  CliqueTally tally_;
};

class CliqueCounts {
 public:
  CliqueCounts(Node min_size, Budget& budget) : min_size_(idx(min_size)), tally_(budget) {}

  template <int kWords>
  void put(const NodeTable& table, Width<kWords> width, const Word* clique) {
    add(idx(width.count(clique)) + table.unlabelled.size());
  }
  void put(std::span<const Node> clique) { add(clique.size()); }

  // Charges to the budget the cliques that are not yet charged.
  void flush() { tally_.flush(); }
  const std::vector<std::int64_t>& by_size() const { return by_size_; }

 private:
  void add(std::size_t size) {
    if (size < min_size_) return;
    if (size >= by_size_.size()) [[unlikely]]
      grow_to(size + 1);
    ++by_size_[size];
    tally_.add_one();
  }
  // Not inlined, so that `add` is.
  [[gnu::noinline]] void grow_to(std::size_t sizes) { by_size_.resize(sizes); }

  std::size_t min_size_;
  std::vector<std::int64_t> by_size_;
  CliqueTally tally_;
};

}  // namespace cliquepool::listing
