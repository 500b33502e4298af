#include "base/charged_buffer.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

namespace {

constexpr std::int64_t kBytesOfAnInt = sizeof(int);

std::vector<int> values_of(const ChargedBuffer<int>& buffer) { return {buffer.begin(), buffer.end()}; }

}  // namespace

TEST(charged_buffer_charges_exactly_what_resize_assign_and_reserve_are_given) {
  Budget budget;
  ChargedBuffer<int> buffer(budget);
  CHECK(budget.bytes() == 0);
  buffer.resize(1000);
  CHECK(budget.bytes() == 1000 * kBytesOfAnInt);
  buffer.resize(10);
  CHECK(budget.bytes() == 1000 * kBytesOfAnInt);
  buffer.assign(1001, 5);
  CHECK(budget.bytes() == 1001 * kBytesOfAnInt);
  CHECK(buffer.size() == 1001 && buffer.back() == 5);
  buffer.reserve(2000);
  CHECK(buffer.size() == 1001);
  CHECK(budget.bytes() == 2000 * kBytesOfAnInt);
  const ChargedBuffer<std::int64_t> other(budget, 3, 7);
  CHECK(other[2] == 7);
  CHECK(budget.bytes() == 2000 * kBytesOfAnInt + 24);
}

TEST(charged_buffer_charges_ahead_when_values_are_appended_and_keeps_them) {
  Budget budget;
  ChargedBuffer<int> buffer(budget);
  std::int64_t charges = 0;
  std::int64_t before = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    buffer.push_back(i);
    charges += budget.bytes() != before;
    before = budget.bytes();
  }
  CHECK(charges < 60);
  CHECK(budget.bytes() >= 1'000'000 * kBytesOfAnInt);
  CHECK(budget.bytes() < 1'100'000 * kBytesOfAnInt);
  bool same = true;
  for (int i = 0; i < 1'000'000; ++i) same = same && buffer[static_cast<std::size_t>(i)] == i;
  CHECK(same);
}

TEST(charged_buffer_appends_spans_and_what_is_written_into_reserved_memory) {
  Budget budget;
  ChargedBuffer<int> buffer(budget);
  buffer.append(std::vector<int>{1, 2, 3});
  buffer.append({});
  int* const more = buffer.reserve_more(3);
  more[0] = 4;
  more[1] = 5;
  buffer.commit(2);
  CHECK(values_of(buffer) == std::vector<int>{1, 2, 3, 4, 5});
  buffer.pop_back();
  CHECK(values_of(buffer) == std::vector<int>{1, 2, 3, 4});
  buffer.truncate(1);
  CHECK(values_of(buffer) == std::vector<int>{1});
  buffer.clear();
  CHECK(buffer.empty() && buffer.span().empty());
}

TEST(charged_buffer_keeps_its_charge_with_its_memory) {
  Budget budget;
  {
    ChargedBuffer<int> buffer(budget, 1000);
    buffer.clear();
    CHECK(budget.bytes() == 1000 * kBytesOfAnInt);
    buffer.resize(30);
    buffer.shrink_to_fit();
    CHECK(buffer.size() == 30);
    CHECK(budget.bytes() == 30 * kBytesOfAnInt);
    buffer.clear();
    buffer.shrink_to_fit();
    CHECK(budget.bytes() == 0);
    buffer.resize(50);
  }
  CHECK(budget.bytes() == 0);
}

TEST(refused_charge_leaves_buffer_and_budget_as_they_were) {
  Budget budget({.max_bytes = 100 * kBytesOfAnInt});
  ChargedBuffer<int> buffer(budget, 3, 8);
  CHECK_THROWS(buffer.resize(101), BudgetExceeded);
  CHECK_THROWS(buffer.append(std::vector<int>(200)), BudgetExceeded);
  CHECK_THROWS(ChargedBuffer<int>(budget, 98), BudgetExceeded);
  CHECK(values_of(buffer) == std::vector<int>{8, 8, 8});
  CHECK(budget.bytes() == 3 * kBytesOfAnInt);
  buffer.resize(100);
  CHECK(budget.bytes() == 100 * kBytesOfAnInt);
}

TEST(failed_allocation_leaves_buffer_and_budget_as_they_were) {
  Budget budget;
  ChargedBuffer<int> buffer(budget, 3, 8);
  // No machine has as much memory, and two such arrays still have a size that 64 bits can count.
  constexpr std::size_t kTooMany = std::size_t{1} << 60;
  CHECK_THROWS(buffer.resize(kTooMany), std::bad_alloc);
  CHECK_THROWS(ChargedBuffer<int>(budget, kTooMany), std::bad_alloc);
  Buffer<int> result;
  CHECK_THROWS(resize_result(result, kTooMany, budget), std::bad_alloc);
  CHECK(values_of(buffer) == std::vector<int>{8, 8, 8});
  CHECK(budget.bytes() == 3 * kBytesOfAnInt);
}

// 2^61 values of 4 bytes are 2^63 bytes, and 2^62 of them are 0 modulo 2^64.
TEST(size_that_64_bits_cannot_count_is_a_failed_allocation) {
  Budget budget({.max_bytes = 1000});
  ChargedBuffer<int> buffer(budget, 3, 8);
  Buffer<int> result;
  for (const std::size_t count :
       {(std::size_t{1} << 61) + 3, std::size_t{1} << 62, std::numeric_limits<std::size_t>::max()}) {
    CHECK_THROWS(buffer.resize(count), std::bad_alloc);
    CHECK_THROWS(resize_result(result, count, budget), std::bad_alloc);
  }
  CHECK(values_of(buffer) == std::vector<int>{8, 8, 8});
  CHECK(budget.bytes() == 3 * kBytesOfAnInt);
}

TEST(charge_moves_with_the_values) {
  Budget budget;
  ChargedBuffer<int> first(budget, 10, 1);
  ChargedBuffer<int> second(std::move(first));
  CHECK(budget.bytes() == 10 * kBytesOfAnInt);
  ChargedBuffer<int> third(budget, 20, 2);
  third = std::move(second);
  CHECK(budget.bytes() == 10 * kBytesOfAnInt);
  CHECK(values_of(third) == std::vector<int>(10, 1));
  std::vector<ChargedBuffer<int>> many;
  for (int i = 0; i < 20; ++i) many.emplace_back(budget, 5, i);
  CHECK(values_of(many[13]) == std::vector<int>(5, 13));
  CHECK(budget.bytes() == 110 * kBytesOfAnInt);
  many.clear();
  CHECK(budget.bytes() == 10 * kBytesOfAnInt);
}

TEST(taken_values_stay_charged_and_the_buffer_starts_again) {
  Budget budget;
  {
    ChargedBuffer<int> buffer(budget);
    for (int i = 0; i < 3; ++i) buffer.push_back(i);
    const Buffer<int> values = buffer.take();
    CHECK(std::vector<int>(values.begin(), values.end()) == std::vector<int>{0, 1, 2});
    CHECK(budget.bytes() == 3 * kBytesOfAnInt);
    CHECK(buffer.empty());
    buffer.push_back(9);
    CHECK(values_of(buffer) == std::vector<int>{9});
    CHECK(budget.bytes() > 3 * kBytesOfAnInt);
  }
  CHECK(budget.bytes() == 3 * kBytesOfAnInt);
  ChargedBuffer<int> nothing(budget, 0);
  CHECK(nothing.take().empty());
}

TEST(results_are_charged_whole_each_time) {
  Budget budget;
  Buffer<int> result;
  resize_result(result, 10, budget);
  resize_result(result, 4, budget);
  CHECK(result.size() == 4);
  CHECK(budget.bytes() == 14 * kBytesOfAnInt);
}

TEST(buffers_kept_from_call_to_call_charge_the_budget_of_each_call) {
  ChargedBuffer<int> values;
  ChargedBuffer<char> flags;
  const auto call = [&](Budget& budget, std::size_t size, bool fails) {
    const ChargeScope scope(budget, values, flags);
    CHECK(values.empty() && flags.empty());
    values.assign(size, 1);
    flags.resize(size);
    CHECK(budget.bytes() == static_cast<std::int64_t>(size) * (kBytesOfAnInt + 1));
    if (fails) throw std::runtime_error("the call fails");
  };
  Budget first;
  call(first, 1000, false);
  CHECK(first.bytes() == 0);
  const int* const memory = values.data();
  {
    Budget second;
    call(second, 10, false);
    CHECK_THROWS(call(second, 500, true), std::runtime_error);
    CHECK(second.bytes() == 0);
  }
  CHECK(values.empty() && flags.empty());
  CHECK(values.data() == memory);
  Budget small({.max_bytes = 20});
  CHECK_THROWS(call(small, 10, false), BudgetExceeded);
  CHECK(small.bytes() == 0);
}

TEST(scoped_charge_ends_with_its_scope) {
  Budget budget({.max_bytes = 100});
  {
    const ScopedCharge charge(budget, 80);
    CHECK(budget.bytes() == 80);
    CHECK_THROWS(ScopedCharge(budget, 21), BudgetExceeded);
    CHECK(budget.bytes() == 80);
  }
  CHECK(budget.bytes() == 0);
}
