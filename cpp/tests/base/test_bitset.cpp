#include "base/bitset.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

namespace {

constexpr int kSizes[] = {1, 63, 64, 65, 128, 200, 256};

std::set<int> random_set(int below, std::mt19937& random) {
  std::set<int> result;
  std::bernoulli_distribution coin(std::uniform_real_distribution<double>(0, 1)(random));
  for (int i = 0; i < below; ++i) {
    if (coin(random)) result.insert(i);
  }
  return result;
}
std::vector<Word> words_of(const std::set<int>& elements, int words) {
  std::vector<Word> result(static_cast<std::size_t>(words));
  for (const int i : elements) set_bit(result.data(), i);
  return result;
}
template <typename EachElement>
std::set<int> collect(EachElement&& each_element) {
  std::vector<int> visited;
  each_element([&](int i) { visited.push_back(i); });
  CHECK(std::is_sorted(visited.begin(), visited.end()));
  return {visited.begin(), visited.end()};
}

std::set<int> common(const std::set<int>& a, const std::set<int>& b) {
  std::set<int> result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}
std::set<int> either(std::set<int> a, const std::set<int>& b) {
  a.insert(b.begin(), b.end());
  return a;
}
std::set<int> difference(const std::set<int>& a, const std::set<int>& b) {
  std::set<int> result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
  return result;
}

// Compares every operation of Width with that of std::set.
template <int kWords>
void check_width(Width<kWords> width, int below, std::mt19937& random) {
  const std::set<int> a = random_set(below, random);
  const std::set<int> b = random() % 4 == 0 ? common(a, random_set(below, random)) : random_set(below, random);
  const std::vector<Word> a_words = words_of(a, width.words());
  const std::vector<Word> b_words = words_of(b, width.words());
  const auto elements = [&](const std::vector<Word>& set) {
    return collect([&](auto&& visit) { width.for_each(set.data(), visit); });
  };
  CHECK(elements(a_words) == a);
  CHECK(width.count(a_words.data()) == static_cast<int>(a.size()));
  CHECK(width.count_common(a_words.data(), b_words.data()) == static_cast<int>(common(a, b).size()));
  CHECK(width.empty(a_words.data()) == a.empty());
  CHECK(width.disjoint(a_words.data(), b_words.data()) == common(a, b).empty());
  CHECK(width.contains(a_words.data(), b_words.data()) == std::includes(a.begin(), a.end(), b.begin(), b.end()));
  CHECK(width.first(a_words.data()) == (a.empty() ? -1 : *a.begin()));

  std::vector<Word> result(a_words.size(), ~Word{0});
  width.intersect(result.data(), a_words.data(), b_words.data());
  CHECK(elements(result) == common(a, b));
  width.copy(result.data(), a_words.data());
  CHECK(result == a_words);
  width.subtract(result.data(), b_words.data());
  CHECK(elements(result) == difference(a, b));
  width.unite(result.data(), b_words.data());
  CHECK(elements(result) == either(a, b));
  width.clear(result.data());
  CHECK(elements(result).empty());
}

// Compares every operation of Bitset with that of std::set.
template <int kWords>
void check_bitset(std::mt19937& random) {
  const int below = kWords * kWordBits;
  const auto set_of = [](const std::set<int>& elements) {
    return Bitset<kWords>::load(words_of(elements, kWords).data());
  };
  const auto elements = [](const Bitset<kWords>& set) { return collect([&](auto&& visit) { set.for_each(visit); }); };
  const std::set<int> a = random_set(below, random);
  const std::set<int> b = random_set(below, random);
  const Bitset<kWords> a_set = set_of(a);
  const Bitset<kWords> b_set = set_of(b);
  CHECK(elements(a_set) == a);
  CHECK(a_set.count() == static_cast<int>(a.size()));
  CHECK(a_set.empty() == a.empty());
  if (!a.empty()) CHECK(a_set.first() == *a.begin());
  CHECK(elements(a_set & b_set) == common(a, b));
  CHECK(elements(a_set | b_set) == either(a, b));
  CHECK(elements(a_set - b_set) == difference(a, b));
  CHECK((a_set == b_set) == (a == b) && a_set == set_of(a));

  const int i = static_cast<int>(random() % static_cast<unsigned>(below));
  CHECK(a_set.has(i) == (a.count(i) == 1));
  std::set<int> larger = a;
  larger.insert(i);
  CHECK(elements(a_set.with(i)) == larger);
  Bitset<kWords> changed = a_set;
  changed.add(i);
  CHECK(changed == set_of(larger));
  changed.remove(i);
  larger.erase(i);
  CHECK(changed == set_of(larger));
  std::vector<Word> stored(kWords);
  a_set.store(stored.data());
  CHECK(stored == words_of(a, kWords));
}

}  // namespace

TEST(sets_take_as_many_words_as_they_need) {
  CHECK(words_for(0) == 0 && words_for(1) == 1 && words_for(64) == 1 && words_for(65) == 2 && words_for(128) == 2);
}

TEST(bits_are_set_cleared_and_tested_in_their_word) {
  std::vector<Word> set(3);
  for (const int i : {0, 63, 64, 130, 191}) {
    CHECK(!test_bit(set.data(), i));
    set_bit(set.data(), i);
    CHECK(test_bit(set.data(), i));
  }
  CHECK(set == std::vector<Word>({Word{1} | Word{1} << 63, 1, Word{1} << 2 | Word{1} << 63}));
  clear_bit(set.data(), 63);
  clear_bit(set.data(), 64);
  CHECK(set == std::vector<Word>({1, 0, Word{1} << 2 | Word{1} << 63}));
}

TEST(width_agrees_with_ordered_sets) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    for (const int below : kSizes) {
      check_width(Width<0>(words_for(below)), below, random);
      if (below <= 64) check_width(Width<1>(), below, random);
      if (below <= 128) check_width(Width<2>(), below, random);
      check_width(Width<4>(), below, random);
    }
  }
}

TEST(bitset_agrees_with_ordered_sets) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    check_bitset<1>(random);
    check_bitset<2>(random);
    check_bitset<3>(random);
    check_bitset<4>(random);
  }
}

TEST(a_value_initialised_bitset_is_empty) {
  CHECK(Bitset<1>{}.empty());
  CHECK(Bitset<4>{}.empty() && Bitset<4>{}.count() == 0);
}
