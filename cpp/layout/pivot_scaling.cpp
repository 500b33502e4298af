#include "layout/pivot_scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cliquepool {
namespace {

constexpr int kPowerSteps = 60;

// The double-centred matrix of squared distances, pivots by nodes.
class CentredDistances {
 public:
  CentredDistances(const Pivots& pivots, Budget& budget)
      : pivots_(pivots.size()), nodes_(pivots.distances(0).size()), values_(budget, pivots_ * nodes_) {
    ChargedBuffer<double> node_mean(budget, nodes_, 0.0);
    for (std::size_t p = 0; p < pivots_; ++p) {
      const auto distances = pivots.distances(p);
      double* const row = values_.data() + p * nodes_;
      double sum = 0;
      for (std::size_t v = 0; v < nodes_; ++v) {
        const double squared = static_cast<double>(distances[v]) * static_cast<double>(distances[v]);
        row[v] = -0.5 * squared;
        node_mean[v] -= 0.5 * squared / static_cast<double>(pivots_);
        sum -= 0.5 * squared;
      }
      for (std::size_t v = 0; v < nodes_; ++v) row[v] -= sum / static_cast<double>(nodes_);
    }
    double mean = 0;
    for (std::size_t v = 0; v < nodes_; ++v) mean += node_mean[v] / static_cast<double>(nodes_);
    for (std::size_t p = 0; p < pivots_; ++p) {
      budget.check();
      for (std::size_t v = 0; v < nodes_; ++v) values_[p * nodes_ + v] += mean - node_mean[v];
    }
  }

  std::size_t pivots() const { return pivots_; }
  std::size_t nodes() const { return nodes_; }
  std::span<const double> row(std::size_t pivot) const { return values_.span().subspan(pivot * nodes_, nodes_); }

 private:
  std::size_t pivots_;
  std::size_t nodes_;
  ChargedBuffer<double> values_;
};

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void normalise(std::span<double> vector) {
  const double length = std::sqrt(dot(vector, vector));
  if (length > 0)
    for (double& value : vector) value /= length;
}

void remove_direction(std::span<double> vector, std::span<const double> direction) {
  const double along = dot(vector, direction);
  for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= along * direction[i];
}

// Returns the products of all pairs of rows, which have the right singular structure in a few numbers.
ChargedBuffer<double> row_products(const CentredDistances& centred, Budget& budget) {
  const std::size_t k = centred.pivots();
  ChargedBuffer<double> products(budget, k * k);
  for (std::size_t p = 0; p < k; ++p) {
    budget.check();
    for (std::size_t q = p; q < k; ++q) products[p * k + q] = products[q * k + p] = dot(centred.row(p), centred.row(q));
  }
  return products;
}

// Finds the leading eigenvector of a symmetric matrix, orthogonal to `before`, by the power method.
void leading_vector(std::span<const double> matrix, std::span<const double> before, std::span<double> vector,
                    ChargedBuffer<double>& scratch) {
  const std::size_t k = vector.size();
  for (std::size_t i = 0; i < k; ++i) vector[i] = 1.0 / static_cast<double>(i + 2);
  for (int step = 0; step < kPowerSteps; ++step) {
    if (!before.empty()) remove_direction(vector, before);
    normalise(vector);
    for (std::size_t p = 0; p < k; ++p) scratch[p] = dot(matrix.subspan(p * k, k), vector);
    std::copy_n(scratch.data(), k, vector.data());
  }
  if (!before.empty()) remove_direction(vector, before);
  normalise(vector);
}

// Scales the points so that, over all pairs of a pivot and a node, distances fit best in the mean.
void fit_scale(const Pivots& pivots, std::span<Point> points) {
  double measured = 0;
  double wanted = 0;
  for (std::size_t p = 0; p < pivots.size(); ++p) {
    const Point from = points[idx(pivots.node(p))];
    const auto distances = pivots.distances(p);
    for (std::size_t v = 0; v < points.size(); ++v) {
      measured += (points[v] - from).length();
      wanted += distances[v];
    }
  }
  if (!(measured > 0)) return;
  for (Point& point : points) point = point * (wanted / measured);
}

}  // namespace

void scale_by_pivots(const Pivots& pivots, Budget& budget, std::span<Point> points) {
  const CentredDistances centred(pivots, budget);
  const ChargedBuffer<double> products = row_products(centred, budget);
  const std::size_t k = centred.pivots();
  ChargedBuffer<double> scratch(budget, k);
  std::array<ChargedBuffer<double>, 2> axes{ChargedBuffer<double>(budget, k), ChargedBuffer<double>(budget, k)};
  leading_vector(products.span(), {}, axes[0].span(), scratch);
  leading_vector(products.span(), axes[0].span(), axes[1].span(), scratch);
  std::fill(points.begin(), points.end(), Point{});
  for (std::size_t p = 0; p < k; ++p) {
    budget.check();
    const auto row = centred.row(p);
    for (std::size_t v = 0; v < points.size(); ++v) {
      points[v].x += axes[0][p] * row[v];
      points[v].y += axes[1][p] * row[v];
    }
  }
  fit_scale(pivots, points);
}

}  // namespace cliquepool
