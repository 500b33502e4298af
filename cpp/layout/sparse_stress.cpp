#include "layout/sparse_stress.hpp"

#include <algorithm>

#include "base/charged_buffer.hpp"

namespace cliquepool {
namespace {

constexpr double kTiny = 1e-9;
// The weight of all edges of a node, beside that of its pivots. Where distances are short, as in social networks,
// pivots alone would draw circles around themselves.
constexpr double kEdgeShare = 3;

// The terms of all pivots: their distances node by node, as they are read, and the weight of each distance.
class PivotTerms {
 public:
  PivotTerms(const Pivots& pivots, Budget& budget)
      : count_(pivots.size()),
        distances_(budget, pivots.size() * pivots.closest().size()),
        starts_(budget),
        weights_(budget) {
    for (std::size_t p = 0; p < count_; ++p) {
      budget.check();
      const auto measured = pivots.distances(p);
      for (std::size_t v = 0; v < measured.size(); ++v) distances_[v * count_ + p] = measured[v];
      add_weights(p, measured, pivots.closest());
    }
  }

  std::span<const Pivots::Distance> of(Node v) const { return distances_.span().subspan(idx(v) * count_, count_); }
  // A pivot stands for the nodes of its region that are at most half as far from it. Their square root, instead of
  // their number, keeps one pivot of a large region from drawing all others on circles around it.
  double weight(std::size_t pivot, Pivots::Distance distance) const { return weights_[starts_[pivot] + distance]; }
  double total_weight(Node v) const {
    const auto distances = of(v);
    double sum = 0;
    for (std::size_t p = 0; p < count_; ++p) sum += distances[p] < 2 ? 0 : weight(p, distances[p]);
    return std::max(sum, 1.0);
  }

 private:
  void add_weights(std::size_t pivot, std::span<const Pivots::Distance> distances, std::span<const Node> closest) {
    const std::size_t first = weights_.size();
    starts_.push_back(first);
    const std::size_t farthest = *std::max_element(distances.begin(), distances.end());
    for (std::size_t d = 0; d <= farthest; ++d) weights_.push_back(0);
    for (std::size_t v = 0; v < distances.size(); ++v)
      if (idx(closest[v]) == pivot) weights_[first + distances[v]] += 1;
    for (std::size_t d = 1; d <= farthest; ++d) weights_[first + d] += weights_[first + d - 1];
    for (std::size_t d = farthest; d > 0; --d) {
      const double length = static_cast<double>(d);
      weights_[first + d] = std::sqrt(std::max(1.0, weights_[first + d / 2])) / (length * length);
    }
  }

  std::size_t count_;
  ChargedBuffer<Pivots::Distance> distances_;
  ChargedBuffer<std::size_t> starts_;
  ChargedBuffer<double> weights_;
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
  const PivotTerms terms(pivots, budget);
  Pace pace(budget);
  for (int round = 0; round < rounds; ++round) {
    for (Node v = 0; v < graph.num_nodes(); ++v) {
      pace.step(idx(graph.degree(v)) + pivots.size());
      Target target(points[idx(v)]);
      const double edge_weight = kEdgeShare * terms.total_weight(v) / std::max(1, graph.degree(v));
      for (const Node u : graph[v]) target.add(points[idx(u)], 1, edge_weight);
      const auto distances = terms.of(v);
      for (std::size_t p = 0; p < distances.size(); ++p) {
        if (distances[p] < 2) continue;  // a neighbour, or the node itself
        target.add(points[idx(pivots.node(p))], distances[p], terms.weight(p, distances[p]));
      }
      points[idx(v)] = target.mean();
    }
  }
}

}  // namespace cliquepool
