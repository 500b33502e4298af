#include "base/buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "tests/check.hpp"

using namespace cliquepool;

namespace {

std::vector<int> values_of(const Buffer<int>& buffer) { return {buffer.begin(), buffer.end()}; }

Buffer<int> counting(int count) {
  Buffer<int> buffer;
  for (int i = 0; i < count; ++i) buffer.push_back(i);
  return buffer;
}

}  // namespace

TEST(new_buffer_is_empty) {
  const Buffer<int> buffer;
  CHECK(buffer.empty());
  CHECK(buffer.size() == 0);
  CHECK(buffer.span().empty());
  CHECK(buffer.begin() == buffer.end());
  CHECK(Buffer<int>(0).empty());
}

TEST(buffer_keeps_its_values_while_it_grows) {
  const Buffer<int> buffer = counting(100'000);
  CHECK(buffer.size() == 100'000);
  bool same = true;
  for (int i = 0; i < 100'000; ++i) same = same && buffer[idx(i)] == i;
  CHECK(same);
  CHECK(buffer.back() == 99'999);
}

TEST(buffer_is_filled_by_its_constructor_and_by_assign) {
  Buffer<int> buffer(3, 7);
  CHECK(values_of(buffer) == std::vector<int>{7, 7, 7});
  buffer.assign(5, 1);
  CHECK(values_of(buffer) == std::vector<int>{1, 1, 1, 1, 1});
  buffer.assign(2, 9);
  CHECK(values_of(buffer) == std::vector<int>{9, 9});
  buffer.assign(0, 9);
  CHECK(buffer.empty());
}

TEST(buffer_resize_keeps_what_stays) {
  Buffer<int> buffer = counting(10);
  buffer.resize(4);
  CHECK(values_of(buffer) == std::vector<int>{0, 1, 2, 3});
  buffer.resize(1000);
  buffer[999] = 5;
  CHECK(buffer[3] == 3);
  CHECK(buffer.back() == 5);
}

TEST(buffer_appends_lists_also_empty_ones) {
  Buffer<int> buffer;
  buffer.append({});
  CHECK(buffer.empty());
  const std::vector<int> more{4, 5, 6};
  buffer.append(more);
  buffer.append({});
  buffer.append(more);
  CHECK(values_of(buffer) == std::vector<int>{4, 5, 6, 4, 5, 6});
  buffer.pop_back();
  CHECK(buffer.back() == 5);
  buffer.clear();
  CHECK(buffer.empty());
}

TEST(buffer_takes_only_what_is_committed_of_reserved_room) {
  Buffer<int> buffer = counting(2);
  int* const room = buffer.reserve_more(100);
  for (int i = 0; i < 100; ++i) room[i] = -i;
  CHECK(buffer.size() == 2);
  buffer.commit(3);
  CHECK(values_of(buffer) == std::vector<int>{0, 1, 0, -1, -2});
}

TEST(buffer_shrinks_and_reserves_without_losing_values) {
  Buffer<int> buffer = counting(50);
  buffer.reserve(10'000);
  CHECK(buffer.size() == 50);
  const int* const block = buffer.data();
  for (int i = 50; i < 10'000; ++i) buffer.push_back(i);
  CHECK(buffer.data() == block);
  buffer.resize(3);
  buffer.shrink_to_fit();
  CHECK(values_of(buffer) == std::vector<int>{0, 1, 2});
  buffer.push_back(3);
  CHECK(values_of(buffer) == std::vector<int>{0, 1, 2, 3});
  buffer.clear();
  buffer.shrink_to_fit();
  CHECK(buffer.empty());
}

TEST(buffer_moves_its_block) {
  Buffer<int> from = counting(20);
  const int* const block = from.data();
  Buffer<int> to(std::move(from));
  CHECK(to.data() == block);
  CHECK(to.size() == 20);
  Buffer<int> other = counting(3);
  other = std::move(to);
  CHECK(other.data() == block);
  CHECK(other.size() == 20);
}

TEST(buffer_releases_its_block_for_free) {
  Buffer<int> buffer = counting(5);
  int* const block = buffer.release();
  CHECK(buffer.empty());
  CHECK(buffer.data() == nullptr);
  CHECK(block[4] == 4);
  std::free(block);
  buffer.push_back(1);
  CHECK(buffer.size() == 1);
}

TEST(buffer_refuses_sizes_beyond_memory) {
  Buffer<std::int64_t> buffer(4, 1);
  CHECK_THROWS(buffer.reserve(static_cast<std::size_t>(PTRDIFF_MAX) / 4), std::bad_alloc);
  CHECK_THROWS(buffer.resize(static_cast<std::size_t>(PTRDIFF_MAX) / 8 + 1), std::bad_alloc);
  CHECK(buffer.size() == 4);
  CHECK(buffer.back() == 1);
}

TEST(ragged_lists_stand_end_to_end) {
  Ragged ragged;
  CHECK(ragged.size() == 0);
  ragged.append(std::vector<Node>{3, 1});
  ragged.append({});
  ragged.members.push_back(9);
  ragged.close_list();
  CHECK(ragged.size() == 3);
  CHECK(ragged[0].size() == 2 && ragged[0][1] == 1);
  CHECK(ragged[1].empty());
  CHECK(ragged.view()[2].front() == 9);
  ragged.clear();
  CHECK(ragged.size() == 0);
  CHECK(ragged.members.empty());
  ragged.append(std::vector<Node>{5});
  CHECK(ragged[0].front() == 5);
}
