// The rows of the graph between the twin classes of a level: stored, or implied by the level below.
#pragma once

#include "base/types.hpp"

namespace cliquepool {

struct ImpliedRows;

// Owns nothing. The closed neighbourhoods of either kind are read through a ClosedCover.
class LevelRows {
 public:
  LevelRows(GraphView stored) : stored_(stored) {}  // implicit: most levels are stored
  explicit LevelRows(const ImpliedRows& implied) : implied_(&implied) {}

  const ImpliedRows* implied() const { return implied_; }
  // Only for stored rows.
  const GraphView& stored() const {
    assert(implied_ == nullptr);
    return stored_;
  }

  inline Node num_nodes() const;
  inline Node degree(Node v) const;

 private:
  GraphView stored_;
  const ImpliedRows* implied_ = nullptr;
};

// A graph between classes of pools that is never written down. A class has the neighbours of its representative, one of
// its pools: the classes whose representatives meet N[P] in the level below. So the members of the representatives, in
// both directions, and the rows of the level below say everything; they take the memory of that level. Owns nothing.
struct ImpliedRows {
  LevelRows below;
  RaggedView members;             // of the representative of each class: vertices of the level below
  RaggedView touching;            // of each vertex below: the classes whose representatives contain it
  std::span<const Node> degrees;  // number of neighbours of each class
};

inline Node LevelRows::num_nodes() const {
  return implied_ == nullptr ? stored_.num_nodes() : static_cast<Node>(implied_->degrees.size());
}
inline Node LevelRows::degree(Node v) const {
  return implied_ == nullptr ? stored_.degree(v) : implied_->degrees[idx(v)];
}

}  // namespace cliquepool
