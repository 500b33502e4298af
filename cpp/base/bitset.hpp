// Sets of small non-negative integers as the bits of machine words: sets stored in flat arrays (Width) and sets
// passed by value (Bitset). Both know the number of words at compile time where they can, so that loops unroll.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace cliquepool {

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;

constexpr int words_for(int bits) { return (bits + kWordBits - 1) / kWordBits; }

// The word that holds element i and the bit of i in it. Unsigned: a signed division would round towards zero, which
// costs extra instructions.
constexpr std::size_t word_of(int i) { return static_cast<unsigned>(i) / kWordBits; }
constexpr Word bit_of(int i) { return Word{1} << (static_cast<unsigned>(i) % kWordBits); }

constexpr void set_bit(Word* set, int i) { set[word_of(i)] |= bit_of(i); }
constexpr void clear_bit(Word* set, int i) { set[word_of(i)] &= ~bit_of(i); }
constexpr bool test_bit(const Word* set, int i) { return (set[word_of(i)] & bit_of(i)) != 0; }

// Operations on sets of words() words each, stored elsewhere. kWords > 0 fixes their number at compile time, 0 leaves
// it to the constructor.
template <int kWords>
class Width {
 public:
  constexpr explicit Width(int words = kWords) : words_(kWords > 0 ? kWords : words) {}
  constexpr int words() const {
    if constexpr (kWords > 0) return kWords;
    return words_;
  }

  constexpr int count(const Word* a) const {
    int total = 0;
    for (int w = 0; w < words(); ++w) total += std::popcount(a[w]);
    return total;
  }
  constexpr int count_common(const Word* a, const Word* b) const {
    int total = 0;
    for (int w = 0; w < words(); ++w) total += std::popcount(a[w] & b[w]);
    return total;
  }
  constexpr bool empty(const Word* a) const {
    for (int w = 0; w < words(); ++w)
      if (a[w] != 0) return false;
    return true;
  }
  constexpr bool disjoint(const Word* a, const Word* b) const {
    for (int w = 0; w < words(); ++w)
      if ((a[w] & b[w]) != 0) return false;
    return true;
  }
  // Whether every element of `part` is in `whole`.
  constexpr bool contains(const Word* whole, const Word* part) const {
    Word missing = 0;
    for (int w = 0; w < words(); ++w) missing |= part[w] & ~whole[w];
    return missing == 0;
  }
  // The least element, or -1.
  constexpr int first(const Word* a) const {
    for (int w = 0; w < words(); ++w)
      if (a[w] != 0) return w * kWordBits + std::countr_zero(a[w]);
    return -1;
  }
  // Calls visit(i) for every element i, ascending.
  template <typename Visit>
  constexpr void for_each(const Word* a, Visit&& visit) const {
    for (int w = 0; w < words(); ++w)
      for (Word bits = a[w]; bits != 0; bits &= bits - 1) visit(w * kWordBits + std::countr_zero(bits));
  }

  constexpr void copy(Word* to, const Word* from) const {
    for (int w = 0; w < words(); ++w) to[w] = from[w];
  }
  constexpr void clear(Word* a) const {
    for (int w = 0; w < words(); ++w) a[w] = 0;
  }
  constexpr void intersect(Word* to, const Word* a, const Word* b) const {
    for (int w = 0; w < words(); ++w) to[w] = a[w] & b[w];
  }
  constexpr void subtract(Word* from, const Word* what) const {
    for (int w = 0; w < words(); ++w) from[w] &= ~what[w];
  }
  constexpr void unite(Word* into, const Word* what) const {
    for (int w = 0; w < words(); ++w) into[w] |= what[w];
  }

 private:
  int words_;
};

// A set of integers below kWords * kWordBits, passed by value: it lives in registers where it can.
template <int kWords>
struct Bitset {
  static_assert(kWords > 0);
  static constexpr Width<kWords> kWidth{};

  Word words[kWords];  // left uninitialised by `Bitset<kWords> set;`, empty by `Bitset<kWords> set{};`

  static constexpr Bitset load(const Word* from) {
    Bitset result;
    kWidth.copy(result.words, from);
    return result;
  }
  constexpr void store(Word* to) const { kWidth.copy(to, words); }

  constexpr int count() const { return kWidth.count(words); }
  // All words are read: a branch on each would cost more than it saves.
  constexpr bool empty() const {
    Word any = 0;
    for (const Word word : words) any |= word;
    return any == 0;
  }
  constexpr bool has(int i) const { return test_bit(words, i); }
  // The least element. The set must not be empty.
  constexpr int first() const {
    assert(!empty());
    int w = 0;
    if constexpr (kWords > 1) {
      while (words[w] == 0) ++w;
    }
    return w * kWordBits + std::countr_zero(words[w]);
  }
  // Calls visit(i) for every element i, ascending.
  template <typename Visit>
  constexpr void for_each(Visit&& visit) const {
    kWidth.for_each(words, visit);
  }

  constexpr void add(int i) { set_bit(words, i); }
  constexpr void remove(int i) { clear_bit(words, i); }
  constexpr Bitset with(int i) const {
    Bitset result = *this;
    result.add(i);
    return result;
  }

  friend constexpr Bitset operator&(const Bitset& a, const Bitset& b) {
    Bitset result;
    for (int w = 0; w < kWords; ++w) result.words[w] = a.words[w] & b.words[w];
    return result;
  }
  friend constexpr Bitset operator|(const Bitset& a, const Bitset& b) {
    Bitset result;
    for (int w = 0; w < kWords; ++w) result.words[w] = a.words[w] | b.words[w];
    return result;
  }
  // The elements of `a` that are not in `b`.
  friend constexpr Bitset operator-(const Bitset& a, const Bitset& b) {
    Bitset result;
    for (int w = 0; w < kWords; ++w) result.words[w] = a.words[w] & ~b.words[w];
    return result;
  }
  friend constexpr bool operator==(const Bitset& a, const Bitset& b) {
    Word different = 0;
    for (int w = 0; w < kWords; ++w) different |= a.words[w] ^ b.words[w];
    return different == 0;
  }
};

}  // namespace cliquepool
