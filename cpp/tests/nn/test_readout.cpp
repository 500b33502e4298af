#include "nn/readout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"
#include "tests/nn/owned_rows.hpp"

using namespace cliquepool;
using namespace cliquepool::tests;
using naive::random_between;

namespace {

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
void check_relu_normalise() {
  Random random(4);
  const T epsilon{T{1} / 1024};
  for (const std::size_t width : kWidths) {
    Owned<T> x = random_rows<T>(7, width, random);
    for (std::size_t f = 0; f < width; ++f) {
      x.values[2 * width + f] = -1;              // ReLU makes this row zeros
      x.values[4 * width + f] = T{1} / 1000000;  // shorter than epsilon
    }
    const Owned<T> g = random_rows<T>(7, width, random);
    Owned<T> y(7, width);
    Owned<T> to(7, width);
    std::vector<T> divisor(7);
    relu_normalise<T>(x.read(), epsilon, y.rows(), divisor);
    relu_normalise_backward<T>(y.read(), divisor, epsilon, g.read(), to.rows());
    bool right = true;
    for (std::size_t i = 0; i < 7; ++i) {
      double squares = 0;
      double along = 0;
      for (std::size_t f = 0; f < width; ++f) {
        const double positive = std::max(static_cast<double>(x.at(i, f)), 0.0);
        squares += positive * positive;
        along += positive * static_cast<double>(g.at(i, f));
      }
      const double norm = std::max(std::sqrt(squares), static_cast<double>(epsilon));
      const bool shorter = norm <= static_cast<double>(epsilon);
      right &= near(divisor[i], norm, norm);
      for (std::size_t f = 0; f < width; ++f) {
        const double positive = std::max(static_cast<double>(x.at(i, f)), 0.0);
        right &= near(y.at(i, f), positive / norm);
        const double pull = shorter ? 0 : along * positive / (norm * norm);
        const double expected = positive > 0 ? (static_cast<double>(g.at(i, f)) - pull) / norm : 0;
        right &= near(to.at(i, f), expected, std::abs(expected) + std::abs(pull / norm));
      }
    }
    CHECK(right);
  }
}

template <typename T>
void check_fused_readout() {
  Random random(6);
  const T epsilon{T{1} / 1024};
  const std::vector<Offset> starts{0, 0, 4, 5, 5, 9, 9};
  const std::size_t count = starts.size() - 1;
  const std::size_t rows = idx(starts.back());
  for (const std::size_t width : kWidths) {
    const Owned<T> x = random_rows<T>(rows, width, random);
    Owned<T> y(rows, width);
    Owned<T> readout(count, 2 * width);
    Owned<Node> where(count, width);
    std::vector<T> divisor(rows);
    relu_normalise<T>(x.read(), epsilon, y.rows(), divisor);
    mean_and_max<T>(starts, y.read(), readout.rows(), where.rows());

    // At once, into columns in the middle of a wider matrix.
    const std::size_t all = 3 + 2 * width + 2;
    Owned<T> z = x;
    Owned<T> wider(count, all, T{7});
    Owned<Node> where_at_once(count, width);
    std::vector<T> divisor_at_once(rows);
    const Rows<T> middle{wider.rows().data + 3, count, 2 * width, all};
    relu_normalise_readout<T>(starts, z.rows(), epsilon, divisor_at_once, middle, where_at_once.rows());
    CHECK(z.values == y.values && divisor_at_once == divisor && where_at_once.values == where.values);
    bool right = true;
    for (std::size_t s = 0; s < count; ++s)
      for (std::size_t f = 0; f < all; ++f)
        right &= wider.at(s, f) == (f >= 3 && f < 3 + 2 * width ? readout.at(s, f - 3) : T{7});

    const Owned<T> g = random_rows<T>(count, all, random);
    const Owned<T> further = random_rows<T>(rows, width, random);
    Owned<T> of_read(count, 2 * width);
    for (std::size_t s = 0; s < count; ++s) std::copy_n(g.read()[s] + 3, 2 * width, of_read.rows()[s]);
    Owned<T> of_y(rows, width);
    mean_and_max_backward<T>(starts, where.read(), of_read.read(), of_y.rows());
    for (std::size_t i = 0; i < of_y.values.size(); ++i) of_y.values[i] += further.values[i];
    Owned<T> expected(rows, width);
    relu_normalise_backward<T>(y.read(), divisor, epsilon, of_y.read(), expected.rows());

    Owned<T> to = further;
    std::vector<T> sums(width, T{7});
    const Rows<const T> of_middle{g.read().data + 3, count, 2 * width, all};
    relu_normalise_readout_backward<T>(starts, y.read(), divisor, epsilon, where.read(), of_middle, to.rows(), sums);
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

TEST(readouts_are_means_and_maxima_with_their_gradients) {
  check_readouts<float>();
  check_readouts<double>();
}

TEST(rows_are_relu_divided_by_their_norm_with_gradients) {
  check_relu_normalise<float>();
  check_relu_normalise<double>();
}

TEST(fused_readout_equals_its_steps_one_after_another) {
  check_fused_readout<float>();
  check_fused_readout<double>();
}

TEST(nan_and_infinity_pass_through_relu_normalise) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const Owned<float> x = [&] {
    Owned<float> made(3, 2);
    made.values = {nan, 1, infinity, 1, -infinity, 2};
    return made;
  }();
  Owned<float> y(3, 2, 0.0F);
  std::vector<float> divisor(3);
  relu_normalise<float>(x.read(), 1e-12F, y.rows(), divisor);
  CHECK(std::isnan(y.at(0, 0)) && std::isnan(y.at(0, 1)));
  CHECK(std::isnan(y.at(1, 0)) && y.at(1, 1) == 0);
  CHECK(y.at(2, 0) == 0 && y.at(2, 1) == 1);
}
