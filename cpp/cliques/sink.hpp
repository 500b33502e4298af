// Where found cliques go: a growing list, or a count by size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool::listing {

// Local ids stand for the nodes of this table, ascending. `beside` are members of every clique that found no place
// in it, ascending too.
struct NodeTable {
  const Node* nodes;  // whole words of them can be read
  std::span<const Node> beside;
};

// Tells the budget of cliques in batches: an atomic addition for each would cost as much as finding it.
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

class CliqueStore {
 public:
  CliqueStore(Node min_size, Budget& budget)
      : min_size_(idx(min_size)), offsets_(budget), members_(budget), tally_(budget) {
    offsets_.push_back(0);
  }

  template <int W>
  void put(const NodeTable& table, const Bitset<W>& clique) {
    const std::size_t size = idx(clique.count()) + table.beside.size();
    if (size < min_size_) return;
    Node* const place = members_.room(size + kOverrun);
    if (table.beside.empty()) {
      write(table.nodes, clique, place);
    } else {
      merge(table, clique, place);
    }
    close(size);
  }
  void put(std::span<const Node> clique) {
    if (clique.size() < min_size_) return;
    std::copy(clique.begin(), clique.end(), members_.room(clique.size()));
    close(clique.size());
  }

  // The list so far, with the charge for its memory; the store starts again.
  Ragged take() {
    tally_.flush();
    Ragged list;
    list.offsets = offsets_.take();
    list.members = members_.take();
    offsets_.push_back(0);
    return list;
  }

 private:
  static constexpr std::size_t kOverrun = 4;

  // Four at a time and past the end, so that most cliques of a kind take the same way through the loop.
  template <int W>
  static void write(const Node* nodes, const Bitset<W>& clique, Node* place) {
    constexpr Word kLast = Word{1} << (kWordBits - 1);  // something to find in an empty word
    for (int k = 0; k < W; ++k, nodes += kWordBits) {
      Node* out = place;
      Word left = clique.words[k];
      place += std::popcount(left);
      while (left != 0) {
        for (std::size_t i = 0; i < kOverrun; ++i) {
          *out++ = nodes[std::countr_zero(left | kLast)];
          left &= left - 1;
        }
      }
    }
  }
  template <int W>
  static void merge(const NodeTable& table, const Bitset<W>& clique, Node* place) {
    auto beside = table.beside.begin();
    clique.for_each([&](int i) {
      const Node node = table.nodes[i];
      while (beside != table.beside.end() && *beside < node) *place++ = *beside++;
      *place++ = node;
    });
    while (beside != table.beside.end()) *place++ = *beside++;
  }
  void close(std::size_t size) {
    members_.commit(size);
    offsets_.push_back(static_cast<Offset>(members_.size()));
    tally_.add_one();
  }

  std::size_t min_size_;
  Charged<Offset> offsets_;
  Charged<Node> members_;
  CliqueTally tally_;
};

class CliqueCount {
 public:
  CliqueCount(Node min_size, Budget& budget) : min_size_(idx(min_size)), tally_(budget) {}

  template <int W>
  void put(const NodeTable& table, const Bitset<W>& clique) {
    add(idx(clique.count()) + table.beside.size());
  }
  void put(std::span<const Node> clique) { add(clique.size()); }

  void flush() { tally_.flush(); }
  const std::vector<std::int64_t>& by_size() const { return by_size_; }

 private:
  void add(std::size_t size) {
    if (size < min_size_) return;
    if (size >= by_size_.size()) by_size_.resize(size + 1);
    ++by_size_[size];
    tally_.add_one();
  }

  std::size_t min_size_;
  std::vector<std::int64_t> by_size_;
  CliqueTally tally_;
};

}  // namespace cliquepool::listing
