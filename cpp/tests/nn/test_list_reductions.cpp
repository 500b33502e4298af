#include "nn/list_reductions.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/nn/owned_rows.hpp"

using namespace cliquepool;
using namespace cliquepool::tests;
using naive::Lists;
using naive::Nodes;
using naive::random_between;

namespace {

Ragged ragged(const Lists& lists) {
  Ragged made;
  for (const Nodes& list : lists) made.append(list);
  return made;
}

// Lists of rows from 0 to `targets`, some empty, some with a row several times.
Lists random_lists(std::size_t count, std::size_t targets, Random& random) {
  Lists lists(count);
  for (Nodes& list : lists) {
    if (targets == 0) continue;
    list.resize(idx(random_between(0, 7, random)));
    for (Node& member : list) member = random_between(0, static_cast<Node>(targets) - 1, random);
  }
  return lists;
}

template <typename T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// The sum as list_reductions.hpp defines it.
template <typename T>
double sum_at(const Lists& lists, const Owned<T>& x, const Scaling<T>& scaling, std::size_t i, std::size_t f) {
  const auto scale = [](std::span<const T> all, std::size_t index) {
    return all.empty() ? 1.0 : static_cast<double>(all[index]);
  };
  std::size_t before = 0;
  for (std::size_t k = 0; k < i; ++k) before += lists[k].size();
  double sum = scaling.own == 0 ? 0 : static_cast<double>(scaling.own * x.at(i, f)) * scale(scaling.row_scale, i);
  for (std::size_t e = 0; e < lists[i].size(); ++e) {
    const std::size_t j = idx(lists[i][e]);
    sum += scale(scaling.values, before + e) * scale(scaling.row_scale, j) * static_cast<double>(x.at(j, f));
  }
  return scale(scaling.list_scale, i) * sum;
}

template <typename T>
void check_sums() {
  Random random(1);
  for (const std::size_t width : kWidths) {
    for (int which = 0; which < 16; ++which) {
      const std::size_t targets = idx(random_between(0, 9, random));
      const bool own = (which & 8) != 0;
      const std::size_t count = own ? targets : idx(random_between(0, 9, random));
      const Lists lists = random_lists(count, targets, random);
      const Ragged flat = ragged(lists);
      const Owned<T> x = random_rows<T>(targets, width, random);
      const auto of_lists = random_scale<T>(count, random);
      const auto of_rows = random_scale<T>(targets, random);
      const auto values = random_scale<T>(flat.members.size(), random);
      Scaling<T> scaling;
      if (which & 1) scaling.list_scale = of_lists;
      if (which & 2) scaling.row_scale = of_rows;
      if (which & 4) scaling.values = values;
      if (own) scaling.own = T{-1.5};
      Owned<T> y(count, width);
      sum_lists<T>(flat.view(), x.read(), scaling, 1, y.rows());
      bool right = true;
      for (std::size_t i = 0; i < count; ++i)
        for (std::size_t f = 0; f < width; ++f) right &= near(y.at(i, f), sum_at(lists, x, scaling, i, f), 10);
      CHECK(right);
    }
  }
}

template <typename T>
void check_maxima() {
  Random random(2);
  for (const std::size_t width : kWidths) {
    for (int i = 0; i < 20; ++i) {
      const std::size_t targets = idx(random_between(1, 6, random));
      const std::size_t count = idx(random_between(0, 9, random));
      const Lists lists = random_lists(count, targets, random);
      Owned<T> x(targets, width);
      for (T& value : x.values) value = static_cast<T>(random_between(-2, 2, random));  // many are equal
      if (i % 4 == 0)
        for (T& value : x.values)
          if (random_between(0, 5, random) == 0) value = std::numeric_limits<T>::quiet_NaN();
      if (i % 4 == 1)
        for (T& value : x.values)
          if (random_between(0, 3, random) == 0) value = -std::numeric_limits<T>::infinity();
      Owned<T> y(count, width);
      Owned<Node> where(count, width, Node{-7});
      max_lists<T>(ragged(lists).view(), x.read(), 1, y.rows(), where.rows());
      bool right = true;
      for (std::size_t l = 0; l < count; ++l) {
        for (std::size_t f = 0; f < width; ++f) {
          Node best = lists[l].empty() ? -1 : lists[l].front();
          for (const Node j : lists[l]) {
            const T a = x.at(idx(j), f);
            const T b = x.at(idx(best), f);
            if (!std::isnan(b) && (std::isnan(a) || a > b)) best = j;
          }
          right &= where.at(l, f) == best;
          const T largest = best < 0 ? T{0} : x.at(idx(best), f);
          right &= std::isnan(largest) ? std::isnan(y.at(l, f)) : y.at(l, f) == largest;
        }
      }
      CHECK(right);

      // The gradient goes to the row of the maximum.
      const Owned<T> g = random_rows<T>(count, width, random);
      Owned<T> to(targets, width, T{0});
      Owned<T> expected(targets, width, T{0});
      scatter<T>(where.read(), g.read(), to.rows());
      for (std::size_t l = 0; l < count; ++l)
        for (std::size_t f = 0; f < width; ++f)
          if (where.at(l, f) >= 0) expected.values[idx(where.at(l, f)) * width + f] += g.at(l, f);
      CHECK(to.values == expected.values);
    }
  }
}

}  // namespace

TEST(sums_over_lists_are_as_defined) {
  check_sums<float>();
  check_sums<double>();
}

TEST(maxima_over_lists_are_the_first_of_the_largest_and_nan_is_largest) {
  check_maxima<float>();
  check_maxima<double>();
}

TEST(sums_and_maxima_do_not_depend_on_the_number_of_threads) {
  Random random(5);
  const std::size_t rows = 4000;
  const Ragged lists = ragged(random_lists(60000, rows, random));
  const Owned<float> x = random_rows<float>(rows, 65, random);
  std::vector<Owned<float>> sums;
  std::vector<Owned<float>> maxima;
  for (const unsigned threads : {0U, 1U, 2U, 5U}) {
    Owned<float>& sum = sums.emplace_back(60000, 65);
    Owned<float>& largest = maxima.emplace_back(60000, 65);
    Owned<Node> where(60000, 65, Node{-7});
    sum_lists<float>(lists.view(), x.read(), {}, threads, sum.rows());
    max_lists<float>(lists.view(), x.read(), threads, largest.rows(), where.rows());
    CHECK(same_bytes(sum.values, sums.front().values));
    CHECK(same_bytes(largest.values, maxima.front().values));
  }
}
