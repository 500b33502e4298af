#include "layout/separation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/charged_buffer.hpp"
#include "base/types.hpp"

namespace cliquepool {
namespace {

constexpr double kJitter = 1e-3;        // of the distance
constexpr double kCloseEnough = 0.05;   // of the distance
constexpr std::int64_t kMostCells = 4;  // for each point
constexpr int kMostPushes = 4;
constexpr int kRoundsOfAPart = 5;

// Sorts points into square cells, so that close points are in the same cell or in one beside it.
class Cells {
 public:
  explicit Cells(Budget& budget) : starts_(budget), order_(budget), cell_(budget) {}

  void sort(std::span<const Point> points, double side) {
    Point low = points[0];
    Point high = points[0];
    for (const Point p : points) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    low_ = low;
    const double most = static_cast<double>(kMostCells) * static_cast<double>(points.size()) + 16;
    const double area = ((high.x - low.x) / side + 1) * ((high.y - low.y) / side + 1);
    side_ = side * std::max(1.0, std::sqrt(area / most));
    while (((high.x - low.x) / side_ + 1) * ((high.y - low.y) / side_ + 1) > most) side_ *= 2;
    columns_ = static_cast<std::int64_t>((high.x - low.x) / side_) + 1;
    rows_ = static_cast<std::int64_t>((high.y - low.y) / side_) + 1;
    fill(points);
  }

  // Calls visit(i) for the points of the cells around a point.
  template <typename Visit>
  void around(Point point, Visit&& visit) const {
    const std::int64_t column = static_cast<std::int64_t>((point.x - low_.x) / side_);
    const std::int64_t row = static_cast<std::int64_t>((point.y - low_.y) / side_);
    for (std::int64_t r = std::max<std::int64_t>(0, row - 1); r <= std::min(rows_ - 1, row + 1); ++r) {
      const std::int64_t first = std::max<std::int64_t>(0, column - 1);
      const std::int64_t last = std::min(columns_ - 1, column + 1);
      for (Node i = starts_[idx(r * columns_ + first)]; i < starts_[idx(r * columns_ + last) + 1]; ++i)
        visit(idx(order_[idx(i)]));
    }
  }

 private:
  void fill(std::span<const Point> points) {
    starts_.assign(idx(columns_ * rows_) + 1, 0);
    cell_.resize(points.size());
    order_.resize(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto column = static_cast<std::int64_t>((points[i].x - low_.x) / side_);
      const auto row = static_cast<std::int64_t>((points[i].y - low_.y) / side_);
      cell_[i] = static_cast<Node>(row * columns_ + column);
      ++starts_[idx(cell_[i]) + 1];
    }
    for (std::size_t c = 1; c < starts_.size(); ++c) starts_[c] += starts_[c - 1];
    for (std::size_t i = points.size(); i-- > 0;) order_[idx(--starts_[idx(cell_[i]) + 1])] = static_cast<Node>(i);
    // The loop above left the first index of each cell one position to the right.
    for (std::size_t c = 0; c + 1 < starts_.size(); ++c) starts_[c] = starts_[c + 1];
    starts_.back() = static_cast<Node>(points.size());
  }

  Point low_;
  double side_ = 1;
  std::int64_t columns_ = 1;
  std::int64_t rows_ = 1;
  ChargedBuffer<Node> starts_;
  ChargedBuffer<Node> order_;
  ChargedBuffer<Node> cell_;
};

// Moves every point away from those closer than `distance`, once. Returns how much the closest pair lacks.
double push_apart(std::span<Point> points, double distance, Cells& cells, ChargedBuffer<Point>& moves, Pace& pace) {
  cells.sort(points, distance);
  double worst = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    Point move;
    int pushing = 0;
    cells.around(points[i], [&](std::size_t j) {
      pace.step();
      const Point apart = points[i] - points[j];
      const double length = apart.length();
      if (length >= distance || i == j) return;
      worst = std::max(worst, distance - length);
      if (length > 0) move = move + apart * (0.5 * (distance - length) / length);
      ++pushing;
    });
    // Among many neighbours a sum of pushes would throw a point far out.
    moves[i] = pushing > kMostPushes ? move * (static_cast<double>(kMostPushes) / pushing) : move;
  }
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = points[i] + moves[i];
  return worst;
}

}  // namespace

void separate(std::span<Point> points, double distance, int rounds, Budget& budget) {
  if (points.size() < 2 || !(distance > 0)) return;
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = points[i] + spiral_point(i % 4096) * (kJitter * distance);
  Cells cells(budget);
  ChargedBuffer<Point> moves(budget, points.size());
  Pace pace(budget);
  // Short distances first: where points are dense, a cell of the full distance would hold very many.
  for (const double part : {0.125, 0.25, 0.5}) {
    for (int round = 0; round < kRoundsOfAPart; ++round) push_apart(points, part * distance, cells, moves, pace);
  }
  for (int round = 0; round < rounds; ++round)
    if (push_apart(points, distance, cells, moves, pace) < kCloseEnough * distance) return;
}

}  // namespace cliquepool
