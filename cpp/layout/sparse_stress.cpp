#include "layout/sparse_stress.hpp"

#include <algorithm>

namespace cliquepool {
namespace {

constexpr double kTiny = 1e-9;

// For each pivot and distance d, the number of nodes of its region that are at most d away from it.
class RegionCounts {
 public:
  RegionCounts(const Pivots& pivots, Budget& budget) : starts_(budget), counts_(budget) {
    const auto closest = pivots.closest();
    starts_.push_back(0);
    for (std::size_t p = 0; p < pivots.size(); ++p) {
      budget.check();
      const auto distances = pivots.distances(p);
      const std::size_t first = counts_.size();
      for (std::size_t v = 0; v < closest.size(); ++v) {
        if (idx(closest[v]) != p) continue;
        while (counts_.size() <= first + distances[v]) counts_.push_back(0);
        ++counts_[first + distances[v]];
      }
      for (std::size_t i = first + 1; i < counts_.size(); ++i) counts_[i] += counts_[i - 1];
      starts_.push_back(counts_.size());
    }
  }

  Node within(std::size_t pivot, std::size_t distance) const {
    const std::size_t first = starts_[pivot];
    const std::size_t last = starts_[pivot + 1];
    return first == last ? 0 : counts_[std::min(first + distance, last - 1)];
  }

 private:
  ChargedBuffer<std::size_t> starts_;
  ChargedBuffer<Node> counts_;
};

// The weighted mean of the places that the terms of one node ask for.
class Target {
 public:
  explicit Target(Point from) : from_(from) {}
  void add(Point other, double distance, double weight) {
    const Point apart = from_ - other;
    const double length = std::max(apart.length(), kTiny);
    sum_ = sum_ + (other + apart * (distance / length)) * weight;
    weights_ += weight;
  }
  Point mean() const { return weights_ > 0 ? sum_ * (1 / weights_) : from_; }

 private:
  Point from_;
  Point sum_;
  double weights_ = 0;
};

}  // namespace

void reduce_stress(GraphView graph, const Pivots& pivots, int rounds, Budget& budget, std::span<Point> points) {
  const RegionCounts regions(pivots, budget);
  Pace pace(budget);
  for (int round = 0; round < rounds; ++round) {
    for (Node v = 0; v < graph.num_nodes(); ++v) {
      pace.step(idx(graph.degree(v)) + pivots.size());
      Target target(points[idx(v)]);
      for (const Node u : graph[v]) target.add(points[idx(u)], 1, 1);
      for (std::size_t p = 0; p < pivots.size(); ++p) {
        const std::size_t distance = pivots.distances(p)[idx(v)];
        if (distance < 2) continue;  // a neighbour, or the node itself
        const double length = static_cast<double>(distance);
        const double weight = std::max(1, regions.within(p, distance / 2)) / (length * length);
        target.add(points[idx(pivots.node(p))], length, weight);
      }
      points[idx(v)] = target.mean();
    }
  }
}

}  // namespace cliquepool
