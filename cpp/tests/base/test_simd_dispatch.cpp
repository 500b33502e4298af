#include "base/simd_dispatch.hpp"

#include <vector>

#include "tests/check.hpp"

using namespace cliquepool;

namespace {

CLIQUEPOOL_INLINE void add(const std::vector<float>& x, std::vector<float>& y) {
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
}
CLIQUEPOOL_AVX2 void add_avx2(const std::vector<float>& x, std::vector<float>& y) { add(x, y); }

}  // namespace

TEST(both_copies_of_a_loop_compute_the_same) {
  std::vector<float> x(100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 3;
  std::vector<float> baseline(x.size(), 1);
  std::vector<float> dispatched(x.size(), 1);
  add(x, baseline);
  has_avx2() ? add_avx2(x, dispatched) : add(x, dispatched);
  CHECK(baseline == dispatched);
  CHECK(has_avx2() == has_avx2());
}
