// Sets of few bits, packed into as few bytes as they need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/bitset.hpp"

namespace cliquepool {

// Returns the bytes for sets of up to this many bits, at most 64: 1, 2, 4 or 8.
inline std::size_t packed_bytes(std::size_t bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8; }

namespace packing {

// Calls work with a value of the unsigned type that has this many bytes.
template <typename Work>
void with_row_type(std::size_t bytes, Work&& work) {
  if (bytes == 1) return work(std::uint8_t{0});
  if (bytes == 2) return work(std::uint16_t{0});
  if (bytes == 4) return work(std::uint32_t{0});
  work(Word{0});
}

}  // namespace packing

// Writes rows of `bytes` each, without their lowest `left_out` bits.
inline void pack_rows(std::span<const Word> rows, std::size_t bytes, unsigned char* to, int left_out = 0) {
  packing::with_row_type(bytes, [&](auto packed) {
    for (const Word row : rows) {
      packed = static_cast<decltype(packed)>(row >> left_out);
      std::memcpy(to, &packed, sizeof(packed));
      to += sizeof(packed);
    }
  });
}

// Restores them; the bits left out are 0.
inline void unpack_rows(const unsigned char* from, std::size_t bytes, std::span<Word> rows, int left_out = 0) {
  packing::with_row_type(bytes, [&](auto packed) {
    for (Word& row : rows) {
      std::memcpy(&packed, from, sizeof(packed));
      from += sizeof(packed);
      row = Word{packed} << left_out;
    }
  });
}

}  // namespace cliquepool
