#include "base/packed_rows.hpp"

#include <random>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

TEST(packed_rows_are_unpacked_as_they_were) {
  std::mt19937_64 random(5);
  for (std::size_t bits = 1; bits <= 64; ++bits) {
    const std::size_t bytes = packed_bytes(bits);
    CHECK(8 * bytes >= bits && (bytes == 1 || 4 * bytes < bits));
    std::vector<Word> rows(bits);
    for (Word& row : rows) row = random() >> (64 - bits);
    std::vector<unsigned char> packed(rows.size() * bytes);
    pack_rows(rows, bytes, packed.data());
    std::vector<Word> unpacked(rows.size());
    unpack_rows(packed.data(), bytes, unpacked);
    CHECK(unpacked == rows);
  }
}

TEST(packed_rows_leave_low_bits_out) {
  const std::vector<Word> rows{0b1010, 0b110, Word{1} << 8};
  std::vector<unsigned char> packed(3);
  pack_rows(rows, 1, packed.data(), 1);
  std::vector<Word> unpacked(3);
  unpack_rows(packed.data(), 1, unpacked, 1);
  CHECK(unpacked == rows);
}
