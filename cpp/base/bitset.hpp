// Sets of small integers as machine words, for local graphs of a few hundred vertices.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace cliquepool {

using Word = std::uint64_t;
inline constexpr int kWordBits = 64;

constexpr int words_for(int bits) { return (bits + kWordBits - 1) / kWordBits; }

inline void set_bit(Word* set, int i) { set[i / kWordBits] |= Word{1} << (i % kWordBits); }
inline void clear_bit(Word* set, int i) { set[i / kWordBits] &= ~(Word{1} << (i % kWordBits)); }
inline bool test_bit(const Word* set, int i) { return (set[i / kWordBits] >> (i % kWordBits)) & 1; }

// The number of words of every set in a search: known when compiled (kWords > 0), so that loops unroll, or not (0).
template <int kWords>
struct Width {
  explicit Width(int words) : words_(kWords > 0 ? kWords : words) {}
  int words() const {
    if constexpr (kWords > 0) return kWords;
    return words_;
  }

  int count(const Word* a) const {
    int total = 0;
    for (int w = 0; w < words(); ++w) total += std::popcount(a[w]);
    return total;
  }
  int count_common(const Word* a, const Word* b) const {
    int total = 0;
    for (int w = 0; w < words(); ++w) total += std::popcount(a[w] & b[w]);
    return total;
  }
  bool empty(const Word* a) const {
    for (int w = 0; w < words(); ++w)
      if (a[w] != 0) return false;
    return true;
  }
  bool disjoint(const Word* a, const Word* b) const {
    for (int w = 0; w < words(); ++w)
      if ((a[w] & b[w]) != 0) return false;
    return true;
  }
  void copy(Word* to, const Word* from) const {
    for (int w = 0; w < words(); ++w) to[w] = from[w];
  }
  void clear(Word* a) const {
    for (int w = 0; w < words(); ++w) a[w] = 0;
  }
  void intersect(Word* to, const Word* a, const Word* b) const {
    for (int w = 0; w < words(); ++w) to[w] = a[w] & b[w];
  }
  void subtract(Word* from, const Word* what) const {
    for (int w = 0; w < words(); ++w) from[w] &= ~what[w];
  }
  // The least element, or -1.
  int first(const Word* a) const {
    for (int w = 0; w < words(); ++w)
      if (a[w] != 0) return w * kWordBits + std::countr_zero(a[w]);
    return -1;
  }
  template <typename Visit>
  void for_each(const Word* a, Visit&& visit) const {
    for (int w = 0; w < words(); ++w)
      for (Word bits = a[w]; bits != 0; bits &= bits - 1) visit(w * kWordBits + std::countr_zero(bits));
  }

 private:
  int words_;
};

}  // namespace cliquepool
