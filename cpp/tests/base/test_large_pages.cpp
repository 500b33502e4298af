#include "base/large_pages.hpp"

#include <cstdint>

#include "base/buffer.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

TEST(a_buffer_of_large_pages_keeps_its_values_when_it_grows_and_shrinks) {
  constexpr std::size_t kSize = 2 * kWorthLargePages / sizeof(std::uint32_t) + 5;
  Buffer<std::uint32_t> buffer(kSize);
  advise_large_pages(buffer);
  buffer.clear();
  for (std::size_t i = 0; i < kSize; ++i) buffer.push_back(static_cast<std::uint32_t>(i));
  buffer.resize(kSize / 2);
  buffer.shrink_to_fit();
  buffer.resize(kSize);
  bool same = true;
  for (std::size_t i = 0; i < kSize / 2; ++i) same = same && buffer[i] == i;
  CHECK(same);
}

TEST(advice_on_a_part_of_a_block_changes_no_value) {
  Buffer<unsigned char> buffer(4 * kWorthLargePages, 7);
  for (const std::size_t offset : {0, 1, 4096, 1 << 20})
    advise_large_pages(buffer.data() + offset, buffer.size() - 2 * offset);
  advise_large_pages(nullptr, 0);
  bool same = true;
  for (const unsigned char value : buffer) same = same && value == 7;
  CHECK(same);
}
