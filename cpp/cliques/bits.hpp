// Sets of a few local ids as machine words, their number fixed at compile time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace cliquepool::listing {

using Word = std::uint64_t;
inline constexpr std::size_t kWordBits = 64;

constexpr std::size_t words_for(std::size_t bits) { return (bits + kWordBits - 1) / kWordBits; }
constexpr Word bit_of(std::size_t i) { return Word{1} << (i % kWordBits); }
constexpr std::size_t lowest(Word word) { return static_cast<std::size_t>(std::countr_zero(word)); }
constexpr std::size_t count(Word word) { return static_cast<std::size_t>(std::popcount(word)); }

// Calls visit(i) for every i in the set, ascending.
template <typename Visit>
inline void for_each_bit(const Word* set, std::size_t words, Visit&& visit) {
  for (std::size_t k = 0; k < words; ++k) {
    for (Word left = set[k]; left != 0; left &= left - 1) visit(k * kWordBits + lowest(left));
  }
}

template <std::size_t W>
struct Bits {
  Word word[W];

  static constexpr Bits none() { return Bits{}; }
  bool empty() const {
    Word all = 0;
    for (std::size_t k = 0; k < W; ++k) all |= word[k];
    return all == 0;
  }
  std::size_t size() const {
    std::size_t total = 0;
    for (std::size_t k = 0; k < W; ++k) total += count(word[k]);
    return total;
  }
  bool has(std::size_t i) const { return (word[i / kWordBits] >> (i % kWordBits) & 1) != 0; }
  void add(std::size_t i) { word[i / kWordBits] |= bit_of(i); }
  void drop(std::size_t i) { word[i / kWordBits] &= ~bit_of(i); }
  // The set must not be empty.
  std::size_t first() const {
    std::size_t k = 0;
    if constexpr (W > 1) {
      while (word[k] == 0) ++k;
    }
    return k * kWordBits + lowest(word[k]);
  }
  Bits with(std::size_t i) const {
    Bits result = *this;
    result.add(i);
    return result;
  }
  Bits without(const Bits& other) const {
    Bits result;
    for (std::size_t k = 0; k < W; ++k) result.word[k] = word[k] & ~other.word[k];
    return result;
  }
  friend Bits operator&(const Bits& a, const Bits& b) {
    Bits result;
    for (std::size_t k = 0; k < W; ++k) result.word[k] = a.word[k] & b.word[k];
    return result;
  }
  friend Bits operator|(const Bits& a, const Bits& b) {
    Bits result;
    for (std::size_t k = 0; k < W; ++k) result.word[k] = a.word[k] | b.word[k];
    return result;
  }
  friend bool operator==(const Bits& a, const Bits& b) {
    Word differ = 0;
    for (std::size_t k = 0; k < W; ++k) differ |= a.word[k] ^ b.word[k];
    return differ == 0;
  }
};

template <std::size_t W>
inline Bits<W> load(const Word* words) {
  Bits<W> set;
  for (std::size_t k = 0; k < W; ++k) set.word[k] = words[k];
  return set;
}

}  // namespace cliquepool::listing
