// Sorting of the short lists of a large universe, one after another, by a bitmap.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {

// A bitmap of 0..n-1 with a summary, one bit for each word that is not zero: a list of k values is sorted in O(k) and
// the length of the summary. Keeps its memory between uses, bound to the budget of each (see charged_buffer.hpp).
class AscendingRow {
 public:
  void bind(Budget& budget) { bind_all(budget, words_, summary_); }
  void unbind() { unbind_all(words_, summary_); }

  void reset(std::size_t universe) {
    words_.assign(universe / kWordBits + 1, 0);
    summary_.assign(words_.size() / kWordBits + 1, 0);
  }

  // Writes the values, which are distinct, except `left_out`, in ascending order. Returns the end.
  Node* write(std::span<const Node> values, Node left_out, Node* to) {
    if (values.size() <= kFew) {
      Node* const begin = to;
      for (const Node value : values) {
        *to = value;
        to += value != left_out;
      }
      std::sort(begin, to);
      return to;
    }
    for (const Node value : values) set(value);
    clear_bit(words_.data(), left_out);
    for (std::size_t s = 0; s < summary_.size(); ++s) {
      for (Word full = summary_[s]; full != 0; full &= full - 1) {
        const std::size_t w = s * kWordBits + idx(std::countr_zero(full));
        const auto base = static_cast<Node>(w * kWordBits);
        for (Word bits = words_[w]; bits != 0; bits &= bits - 1) *to++ = base + std::countr_zero(bits);
        words_[w] = 0;
      }
      summary_[s] = 0;
    }
    return to;
  }

 private:
  static constexpr std::size_t kFew = 24;  // sorted faster by comparisons

  void set(Node value) {
    const std::size_t w = idx(value) / kWordBits;
    words_[w] |= Word{1} << (idx(value) % kWordBits);
    summary_[w / kWordBits] |= Word{1} << (w % kWordBits);
  }

  ChargedBuffer<Word> words_;
  ChargedBuffer<Word> summary_;
};

}  // namespace cliquepool
