#include "nn/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using naive::Lists;
using naive::Nodes;
using naive::Random;
using naive::random_between;

namespace {

constexpr std::size_t kWidths[] = {0, 1, 3, 4, 5, 8, 16, 17, 63, 64, 65, 128, 200};

// A matrix that owns its rows; what is not written stays a NaN.
template <typename T>
struct Owned {
  std::size_t count;
  std::size_t width;
  std::vector<T> values;

  Owned(std::size_t count_, std::size_t width_, T value = std::numeric_limits<T>::quiet_NaN())
      : count(count_), width(width_), values(count_ * width_, value) {}
  Rows<T> rows() { return {values.data(), count, width}; }
  Rows<const T> read() const { return {values.data(), count, width}; }
  T at(std::size_t row, std::size_t column) const { return values[row * width + column]; }
};

template <typename T>
Owned<T> random_rows(std::size_t count, std::size_t width, Random& random) {
  Owned<T> made(count, width);
  std::normal_distribution<T> normal;
  for (T& value : made.values) value = normal(random);
  return made;
}

template <typename T>
std::vector<T> random_scale(std::size_t count, Random& random) {
  return random_rows<T>(count, 1, random).values;
}

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
bool near(T a, double b, double size = 1) {
  const double tolerance = (sizeof(T) == 4 ? 1e-5 : 1e-13) * (1 + std::abs(b) + size);
  return std::abs(static_cast<double>(a) - b) <= tolerance;
}

template <typename T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// The sum as kernels.hpp defines it.
template <typename T>
double sum_at(const Lists& lists, const Owned<T>& x, const Scaling<T>& scaling, std::size_t i, std::size_t f) {
  const auto scale = [](std::span<const T> all, std::size_t place) {
    return all.empty() ? 1.0 : static_cast<double>(all[place]);
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

      // What goes back lands where the maximum was.
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

template <typename T>
void check_readouts() {
  Random random(3);
  for (const std::size_t width : kWidths) {
    for (int i = 0; i < 10; ++i) {
      std::vector<Offset> starts{0};
      const Node graphs = random_between(0, 6, random);
      for (Node s = 0; s < graphs; ++s) starts.push_back(starts.back() + random_between(0, 5, random));
      const std::size_t count = idx(graphs);
      const Owned<T> x = random_rows<T>(idx(starts.back()), width, random);
      Owned<T> y(count, 2 * width);
      Owned<Node> where(count, width, Node{-7});
      mean_and_max<T>(starts, x.read(), y.rows(), where.rows());
      const Owned<T> g = random_rows<T>(count, 2 * width, random);
      Owned<T> to(x.count, width);
      mean_and_max_backward<T>(starts, where.read(), g.read(), to.rows());
      bool right = true;
      for (std::size_t s = 0; s < count; ++s) {
        const std::size_t begin = idx(starts[s]);
        const std::size_t end = idx(starts[s + 1]);
        for (std::size_t f = 0; f < width; ++f) {
          double sum = 0;
          std::size_t best = begin;
          for (std::size_t v = begin; v < end; ++v) {
            sum += static_cast<double>(x.at(v, f));
            if (x.at(v, f) > x.at(best, f)) best = v;
          }
          if (begin == end) {
            right &= y.at(s, f) == 0 && y.at(s, width + f) == 0 && where.at(s, f) == -1;
            continue;
          }
          const double share = 1 / static_cast<double>(end - begin);
          right &= near(y.at(s, f), sum * share, 5) && y.at(s, width + f) == x.at(best, f);
          right &= where.at(s, f) == static_cast<Node>(best);
          for (std::size_t v = begin; v < end; ++v) {
            const double from_max = v == best ? static_cast<double>(g.at(s, width + f)) : 0;
            right &= near(to.at(v, f), static_cast<double>(g.at(s, f)) * share + from_max);
          }
        }
      }
      CHECK(right);
    }
  }
}

template <typename T>
void check_normalised() {
  Random random(4);
  const T epsilon{T{1} / 1024};
  for (const std::size_t width : kWidths) {
    Owned<T> x = random_rows<T>(7, width, random);
    for (std::size_t f = 0; f < width; ++f) {
      x.values[2 * width + f] = -1;              // nothing is left of this row
      x.values[4 * width + f] = T{1} / 1000000;  // shorter than epsilon
    }
    const Owned<T> g = random_rows<T>(7, width, random);
    Owned<T> y(7, width);
    Owned<T> to(7, width);
    std::vector<T> divisor(7);
    rectify_and_normalise<T>(x.read(), epsilon, y.rows(), divisor);
    rectify_and_normalise_backward<T>(y.read(), divisor, epsilon, g.read(), to.rows());
    bool right = true;
    for (std::size_t i = 0; i < 7; ++i) {
      double squares = 0;
      double along = 0;
      for (std::size_t f = 0; f < width; ++f) {
        const double positive = std::max(static_cast<double>(x.at(i, f)), 0.0);
        squares += positive * positive;
        along += positive * static_cast<double>(g.at(i, f));
      }
      const double length = std::max(std::sqrt(squares), static_cast<double>(epsilon));
      const bool shorter = length <= static_cast<double>(epsilon);
      right &= near(divisor[i], length, length);
      for (std::size_t f = 0; f < width; ++f) {
        const double positive = std::max(static_cast<double>(x.at(i, f)), 0.0);
        right &= near(y.at(i, f), positive / length);
        const double pull = shorter ? 0 : along * positive / (length * length);
        const double expected = positive > 0 ? (static_cast<double>(g.at(i, f)) - pull) / length : 0;
        right &= near(to.at(i, f), expected, std::abs(expected) + std::abs(pull / length));
      }
    }
    CHECK(right);
  }
}

template <typename T>
void check_rectified_and_read() {
  Random random(6);
  const T epsilon{T{1} / 1024};
  const std::vector<Offset> starts{0, 0, 4, 5, 5, 9, 9};
  const std::size_t count = starts.size() - 1;
  const std::size_t rows = idx(starts.back());
  for (const std::size_t width : kWidths) {
    const Owned<T> x = random_rows<T>(rows, width, random);
    Owned<T> y(rows, width);
    Owned<T> read(count, 2 * width);
    Owned<Node> where(count, width);
    std::vector<T> divisor(rows);
    rectify_and_normalise<T>(x.read(), epsilon, y.rows(), divisor);
    mean_and_max<T>(starts, y.read(), read.rows(), where.rows());

    // At once, into columns in the middle of a wider matrix.
    const std::size_t all = 3 + 2 * width + 2;
    Owned<T> z = x;
    Owned<T> wider(count, all, T{7});
    Owned<Node> where_at_once(count, width);
    std::vector<T> divisor_at_once(rows);
    const Rows<T> middle{wider.rows().data + 3, count, 2 * width, all};
    rectify_and_read<T>(starts, z.rows(), epsilon, divisor_at_once, middle, where_at_once.rows());
    CHECK(z.values == y.values && divisor_at_once == divisor && where_at_once.values == where.values);
    bool right = true;
    for (std::size_t s = 0; s < count; ++s)
      for (std::size_t f = 0; f < all; ++f)
        right &= wider.at(s, f) == (f >= 3 && f < 3 + 2 * width ? read.at(s, f - 3) : T{7});

    const Owned<T> g = random_rows<T>(count, all, random);
    const Owned<T> further = random_rows<T>(rows, width, random);
    Owned<T> of_read(count, 2 * width);
    for (std::size_t s = 0; s < count; ++s) std::copy_n(g.read()[s] + 3, 2 * width, of_read.rows()[s]);
    Owned<T> of_y(rows, width);
    mean_and_max_backward<T>(starts, where.read(), of_read.read(), of_y.rows());
    for (std::size_t i = 0; i < of_y.values.size(); ++i) of_y.values[i] += further.values[i];
    Owned<T> expected(rows, width);
    rectify_and_normalise_backward<T>(y.read(), divisor, epsilon, of_y.read(), expected.rows());

    Owned<T> to = further;
    std::vector<T> sums(width, T{7});
    const Rows<const T> of_middle{g.read().data + 3, count, 2 * width, all};
    rectify_and_read_backward<T>(starts, y.read(), divisor, epsilon, where.read(), of_middle, to.rows(), sums);
    for (std::size_t f = 0; f < width; ++f) {
      double sum = 0;
      for (std::size_t i = 0; i < rows; ++i) {
        right &= near(to.at(i, f), static_cast<double>(expected.at(i, f)), 10);
        sum += static_cast<double>(to.at(i, f));
      }
      right &= near(sums[f], sum, 100);
    }
    CHECK(right);
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

TEST(readouts_are_means_and_maxima_and_their_gradients_go_back) {
  check_readouts<float>();
  check_readouts<double>();
}

TEST(rows_are_rectified_and_normalised_and_gradients_go_back) {
  check_normalised<float>();
  check_normalised<double>();
}

TEST(rectifying_and_reading_at_once_is_the_same_as_one_after_the_other) {
  check_rectified_and_read<float>();
  check_rectified_and_read<double>();
}

TEST(nan_and_infinity_come_through_rectifying) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Owned<float> x = [&] {
    Owned<float> made(3, 2);
    made.values = {nan, 1, infinity, 1, -infinity, 2};
    return made;
  }();
  Owned<float> y(3, 2, 0.0F);
  std::vector<float> divisor(3);
  rectify_and_normalise<float>(x.read(), 1e-12F, y.rows(), divisor);
  CHECK(std::isnan(y.at(0, 0)) && std::isnan(y.at(0, 1)));
  CHECK(std::isnan(y.at(1, 0)) && y.at(1, 1) == 0);
  CHECK(y.at(2, 0) == 0 && y.at(2, 1) == 1);
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
