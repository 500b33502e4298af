#include "layout/layout.hpp"

#include <algorithm>
#include <cmath>

#include "base/charged_buffer.hpp"
#include "layout/components.hpp"
#include "layout/pivot_scaling.hpp"
#include "layout/pivots.hpp"
#include "layout/sparse_stress.hpp"

namespace cliquepool {
namespace {

constexpr double kGap = 1.5;  // between components
constexpr double kSpread = 0.005;
constexpr double kFlattest = 8;  // a component drawn on a line is not scaled by its area
constexpr std::size_t kSpiral = 4096;
constexpr double kWideAs = 1.5;  // width of the picture, for a height of 1

// The graph on the nodes of one component, numbered 0, 1, … in their order.
class ComponentGraph {
 public:
  explicit ComponentGraph(Budget& budget, std::size_t num_nodes)
      : number_(budget, num_nodes), offsets_(budget), neighbours_(budget) {}

  GraphView extract(GraphView graph, std::span<const Node> nodes) {
    offsets_.clear();
    neighbours_.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i) number_[idx(nodes[i])] = static_cast<Node>(i);
    offsets_.push_back(0);
    for (const Node v : nodes) {
      for (const Node u : graph[v]) neighbours_.push_back(number_[idx(u)]);
      offsets_.push_back(static_cast<Offset>(neighbours_.size()));
    }
    return {offsets_.span(), neighbours_.span()};
  }

 private:
  ChargedBuffer<Node> number_;
  ChargedBuffer<Offset> offsets_;
  ChargedBuffer<Node> neighbours_;
};

struct Box {
  Point low;
  Point high;
  double width() const { return high.x - low.x + kGap; }
  double height() const { return high.y - low.y + kGap; }
};

Box bounding_box(std::span<const Point> points) {
  Box box{points[0], points[0]};
  for (const Point p : points) {
    box.low = {std::min(box.low.x, p.x), std::min(box.low.y, p.y)};
    box.high = {std::max(box.high.x, p.x), std::max(box.high.y, p.y)};
  }
  return box;
}

void lay_out_component(GraphView graph, const LayoutOptions& options, Budget& budget, std::span<Point> points) {
  if (points.size() == 1) {
    points[0] = {};
    return;
  }
  const Pivots pivots(graph, static_cast<std::size_t>(options.pivots), budget);
  scale_by_pivots(pivots, budget, points);
  // Nodes at equal distances to all pivots would stay at one point.
  for (std::size_t v = 0; v < points.size(); ++v) points[v] = points[v] + spiral_point(v % kSpiral) * kSpread;
  reduce_stress(graph, pivots, options.rounds, budget, points);
  const Box box = bounding_box(points);
  const Point extent = box.high - box.low;
  const double longest = std::max(extent.x, extent.y);
  const double area = std::max(extent.x * extent.y, longest * longest / kFlattest);
  const double factor = area > 0 ? std::sqrt(static_cast<double>(points.size()) / area) : 1;
  for (Point& point : points) point = point * std::max(1.0, factor);
}

// Moves the points of each component, which are end to end, into rows of boxes from the top left.
void pack_in_rows(RaggedView components, Budget& budget, std::span<Point> points) {
  ChargedBuffer<Box> boxes(budget);
  double area = 0;
  double width = 0;
  const auto part = [&](Offset c) { return points.subspan(idx(components.offsets[idx(c)]), components[c].size()); };
  for (Offset c = 0; c < components.size(); ++c) {
    boxes.push_back(bounding_box(part(c)));
    area += boxes.back().width() * boxes.back().height();
    width = std::max(width, boxes.back().width());
  }
  width = std::max(width, std::sqrt(kWideAs * area));
  Point corner;
  double row_height = 0;
  for (Offset c = 0; c < components.size(); ++c) {
    const Box& box = boxes[idx(c)];
    if (corner.x > 0 && corner.x + box.width() > width) {
      corner = {0, corner.y + row_height};
      row_height = 0;
    }
    for (Point& point : part(c)) point = point + (corner - box.low);
    corner.x += box.width();
    row_height = std::max(row_height, box.height());
  }
}

}  // namespace

void lay_out(GraphView graph, const LayoutOptions& options, Budget& budget, std::span<Point> points) {
  if (points.empty()) return;
  const Ragged components = connected_components(graph, budget);
  ComponentGraph component(budget, points.size());
  ChargedBuffer<Point> placed(budget, points.size());  // component by component
  for (Offset c = 0; c < components.size(); ++c) {
    const std::span<Point> part = placed.span().subspan(idx(components.offsets[idx(c)]), components[c].size());
    lay_out_component(component.extract(graph, components[c]), options, budget, part);
  }
  pack_in_rows(components.view(), budget, placed.span());
  for (std::size_t i = 0; i < placed.size(); ++i) points[idx(components.members[i])] = placed[i];
}

}  // namespace cliquepool
