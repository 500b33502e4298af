#include "nn/window_max.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/check.hpp"
#include "tests/naive.hpp"

using namespace cliquepool;
using naive::Random;
using naive::random_between;

namespace {

template <typename T>
struct Pooled {
  std::vector<T> values;
  std::vector<Node> where;
};

// Window by window and pixel by pixel, as torch does it.
template <typename T>
Pooled<T> by_definition(const std::vector<T>& x, std::size_t count, Sides image, Sides window) {
  Pooled<T> made;
  const Sides pooled = pooled_sides(image, window);
  for (std::size_t i = 0; i < count; ++i) {
    const T* const pixels = x.data() + i * image.size();
    for (std::size_t corner = 0; corner < pooled.size(); ++corner) {
      const std::size_t z0 = corner / (pooled.height * pooled.width);
      const std::size_t y0 = corner / pooled.width % pooled.height;
      const std::size_t x0 = corner % pooled.width;
      T largest = -std::numeric_limits<T>::infinity();
      std::size_t index = (z0 * image.height + y0) * image.width + x0;
      for (std::size_t z = z0; z < z0 + window.depth; ++z) {
        for (std::size_t y = y0; y < y0 + window.height; ++y) {
          for (std::size_t column = x0; column < x0 + window.width; ++column) {
            const std::size_t here = (z * image.height + y) * image.width + column;
            if (pixels[here] > largest || std::isnan(pixels[here])) {
              largest = pixels[here];
              index = here;
            }
          }
        }
      }
      made.values.push_back(pixels[index]);
      made.where.push_back(static_cast<Node>(index));
    }
  }
  return made;
}

template <typename T>
Pooled<T> by_core(const std::vector<T>& x, std::size_t count, Sides image, Sides window, unsigned threads) {
  const std::size_t windows = count * pooled_sides(image, window).size();
  Pooled<T> made{std::vector<T>(windows), std::vector<Node>(windows, -1)};
  window_max<T>(x.data(), count, image, window, threads, made.values.data(), made.where.data());
  return made;
}

template <typename T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Numbers, small integers, zeros of both signs, or numbers with a NaN here and there.
template <typename T>
std::vector<T> random_pixels(std::size_t count, int kind, Random& random) {
  std::vector<T> made(count);
  std::normal_distribution<T> normal;
  for (T& value : made) {
    value = normal(random);
    if (kind == 1) value = std::round(value);
    if (kind == 2) value = std::copysign(T{0}, value);
    if (kind == 3 && random_between(0, 20, random) == 0) value = std::numeric_limits<T>::quiet_NaN();
    if (kind == 4) value = value < 0 ? -std::numeric_limits<T>::infinity() : std::round(value);
  }
  return made;
}

std::size_t side(std::size_t most, Random& random) { return idx(random_between(1, static_cast<Node>(most), random)); }

template <typename T>
void check_windows(Sides image, Sides window, int kind, Random& random) {
  const std::size_t count = side(3, random);
  const auto x = random_pixels<T>(count * image.size(), kind, random);
  const Pooled<T> expected = by_definition(x, count, image, window);
  const Pooled<T> got = by_core(x, count, image, window, 1);
  CHECK(same_bytes(got.values, expected.values));
  CHECK(got.where == expected.where);
  std::vector<T> alone(got.values.size());
  window_max<T>(x.data(), count, image, window, 1, alone.data(), nullptr);
  CHECK(same_bytes(alone, expected.values));

  const auto g = random_pixels<T>(got.values.size(), 0, random);
  std::vector<T> to(x.size(), T{0});
  std::vector<T> summed(x.size(), T{0});
  const std::size_t windows = pooled_sides(image, window).size();
  window_max_backward<T>(got.where.data(), g.data(), count, image.size(), windows, 1, to.data());
  for (std::size_t w = 0; w < g.size(); ++w) summed[w / windows * image.size() + idx(expected.where[w])] += g[w];
  CHECK(same_bytes(to, summed));
}

template <typename T>
void check_random_windows(std::uint32_t seed) {
  Random random(seed);
  for (int round = 0; round < 150; ++round) {
    const bool flat = round % 3 != 0;
    const Sides image{flat ? 1 : side(6, random), side(flat ? 24 : 7, random), side(flat ? 40 : 9, random)};
    const Sides window{side(image.depth, random), side(image.height, random), side(image.width, random)};
    check_windows<T>(image, window, round % 5, random);
  }
}

}  // namespace

TEST(windows_of_floats_are_those_of_the_definition) { check_random_windows<float>(1); }
TEST(windows_of_doubles_are_those_of_the_definition) { check_random_windows<double>(2); }

TEST(windows_as_large_as_the_image_and_as_small_as_a_pixel) {
  Random random(3);
  for (const Sides image : {Sides{1, 1, 1}, Sides{1, 1, 7}, Sides{1, 9, 1}, Sides{1, 17, 17}, Sides{3, 8, 16}}) {
    for (int kind = 0; kind < 5; ++kind) {
      check_windows<float>(image, image, kind, random);
      check_windows<double>(image, image, kind, random);
      check_windows<float>(image, {1, 1, 1}, kind, random);
      check_windows<double>(image, {1, 1, 1}, kind, random);
    }
  }
}

TEST(windows_do_not_depend_on_the_number_of_threads) {
  Random random(4);
  const Sides image{1, 40, 41};
  const Sides window{1, 9, 9};
  const std::size_t count = 700;
  const auto x = random_pixels<float>(count * image.size(), 1, random);
  const auto alone = by_core(x, count, image, window, 1);
  const auto together = by_core(x, count, image, window, 4);
  CHECK(same_bytes(alone.values, together.values));
  CHECK(alone.where == together.where);
  const auto g = random_pixels<float>(alone.values.size(), 0, random);
  std::vector<float> to[2] = {std::vector<float>(x.size()), std::vector<float>(x.size())};
  const std::size_t windows = pooled_sides(image, window).size();
  window_max_backward<float>(alone.where.data(), g.data(), count, image.size(), windows, 1, to[0].data());
  window_max_backward<float>(alone.where.data(), g.data(), count, image.size(), windows, 4, to[1].data());
  CHECK(same_bytes(to[0], to[1]));
}

TEST(no_images_are_pooled_to_none) {
  window_max<float>(nullptr, 0, {1, 4, 4}, {1, 2, 2}, 2, nullptr, nullptr);
  window_max_backward<float>(nullptr, nullptr, 0, 16, 9, 2, nullptr);
}
