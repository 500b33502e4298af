// Adjacency rows of small local graphs, kept from search to search.
#pragma once

#include <algorithm>
#include <cassert>
#include <span>
#include <vector>

#include "base/bitset.hpp"
#include "base/charged_buffer.hpp"
#include "base/packed_rows.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Keeps, for some vertices, the rows of a graph of fewer vertices than a word has bits. A row takes 1, 2, 4 or 8 bytes,
// as few as its bits need: most local graphs are small. Each thread adds rows to memory of its own, which never moves,
// so that others can read them at the same time.
class SavedRows {
 public:
  void bind(Budget& budget) {
    budget_ = &budget;
    rows_.bind(budget);
  }
  void unbind() {
    rows_.unbind();
    of_thread_.clear();
  }

  void reset(Node num_vertices, unsigned threads) {
    rows_.assign(idx(num_vertices), nullptr);
    of_thread_.clear();
    of_thread_.resize(threads);
  }

  bool has(Rank v) const { return !rows_.empty() && rows_[idx(v)] != nullptr; }
  void drop(Rank v) { rows_[idx(v)] = nullptr; }
  // Frees all rows. None can be saved until the next reset.
  void drop_all() {
    rows_.clear();
    rows_.shrink_to_fit();
    of_thread_.clear();
  }

  // Saves the rows of a graph of as many vertices, numbered from 1, as LocalGraph does.
  void save(Rank v, std::span<const Word> rows, unsigned thread) {
    const std::size_t bytes = packed_bytes(rows.size());
    unsigned char* const to = of_thread_[thread].reserve(rows.size() * bytes, *budget_);
    pack_rows(rows, bytes, to, kUnusedBits);
    rows_[idx(v)] = to;
  }
  // Restores them; there must be as many as were saved.
  void load(Rank v, std::span<Word> rows) const {
    assert(has(v));
    unpack_rows(rows_[idx(v)], packed_bytes(rows.size()), rows, kUnusedBits);
  }

 private:
  static constexpr int kUnusedBits = 1;  // no vertex has the number 0

  // Memory in blocks that stay where they are.
  class Blocks {
   public:
    unsigned char* reserve(std::size_t bytes, Budget& budget) {
      if (blocks_.empty() || left_ < bytes) {
        const std::size_t size = std::clamp(reserved_, kSmallestBlock, kLargestBlock);
        blocks_.emplace_back(budget, size);
        reserved_ += size;
        left_ = size;
      }
      unsigned char* const next = blocks_.back().end() - left_;
      left_ -= bytes;
      return next;
    }

   private:
    static constexpr std::size_t kSmallestBlock = std::size_t{1} << 12;
    static constexpr std::size_t kLargestBlock = std::size_t{1} << 20;

    std::vector<ChargedBuffer<unsigned char>> blocks_;
    std::size_t reserved_ = 0;
    std::size_t left_ = 0;  // in the last block
  };

  Budget* budget_ = nullptr;
  ChargedBuffer<unsigned char*> rows_;  // of each vertex, or null
  std::vector<Blocks> of_thread_;
};

}  // namespace cliquepool
