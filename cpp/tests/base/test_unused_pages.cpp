#include "base/unused_pages.hpp"

#include <algorithm>
#include <vector>

#include "base/buffer.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

#ifdef __linux__
TEST(dropped_pages_are_no_longer_in_memory) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = 16 * page;
  void* const block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(block != MAP_FAILED);
  auto* const values = static_cast<unsigned char*>(block);
  std::fill_n(values, bytes, static_cast<unsigned char>(7));
  drop_pages(std::span(values + 1, bytes - 2));  // neither the first nor the last page is whole
  std::vector<unsigned char> resident(16);
  CHECK(mincore(block, bytes, resident.data()) == 0);
  CHECK((resident.front() & 1) == 1);
  CHECK((resident.back() & 1) == 1);
  CHECK(std::none_of(resident.begin() + 1, resident.end() - 1, [](unsigned char flags) { return (flags & 1) != 0; }));
  CHECK(values[0] == 7);
  CHECK(values[page - 1] == 7);
  CHECK(values[bytes - 1] == 7);
  munmap(block, bytes);
}
#endif

TEST(a_buffer_whose_pages_were_dropped_can_be_written_and_freed) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{1} << 15, std::size_t{1} << 20}) {
    Buffer<int> buffer(size, 3);
    drop_pages(buffer.span());
    buffer.assign(size, 4);
    CHECK(std::count(buffer.begin(), buffer.end(), 4) == static_cast<std::ptrdiff_t>(size));
  }
}
