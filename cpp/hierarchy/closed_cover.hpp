// The closed neighbourhood of a growing set of vertices.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "base/budget.hpp"
#include "base/charged_buffer.hpp"
#include "base/types.hpp"
#include "hierarchy/level_rows.hpp"
#include "hierarchy/stack_set.hpp"

namespace cliquepool {

class ReachedClasses;

// N[S] of a set S of vertices of a level. Vertices are added to S one after the other, and the last steps can be taken
// back. Where the rows of the level are implied, N[S] is computed by the union of all members below: each vertex and
// each list of the level below is read once for S, not once for each vertex of S.
//
// Keeps its memory between graphs, bound to the budget of each (see charged_buffer.hpp).
class ClosedCover {
 public:
  ClosedCover();
  ~ClosedCover();
  ClosedCover(ClosedCover&&) noexcept;
  ClosedCover& operator=(ClosedCover&&) noexcept;

  void bind(Budget& budget);
  void unbind();

  // Starts with an empty set of vertices of `rows`.
  void reset(const LevelRows& rows);

  // Adds a vertex to S.
  void insert(Node v, Pace& pace);
  // Adds a vertex as a step of its own, which `pop` takes back.
  void push(Node v, Pace& pace) {
    mark();
    insert(v, pace);
  }
  // Begins a step of several insertions.
  void mark();
  void pop();

  // N[S] in the order in which it grew.
  std::span<const Node> members() const;
  std::size_t size() const { return members().size(); }

 private:
  struct Extent {
    std::size_t entered;
    std::size_t covered;
  };

  Budget* budget_ = nullptr;
  LevelRows rows_{GraphView{}};
  StackSet entered_;                       // S
  StackSet covered_;                       // N[S], where rows are stored
  std::unique_ptr<ReachedClasses> below_;  // N[S], where they are implied
  bool implied_ = false;
  ChargedBuffer<Extent> before_;  // the sizes at the beginning of each step
};

// The classes whose representatives meet N[S], for a growing set S of vertices of the level below them: the closed
// neighbourhood of a class whose representative is S.
class ReachedClasses {
 public:
  void bind(Budget& budget) { bind_all(budget, cover_, reached_, before_); }
  void unbind() { unbind_all(cover_, reached_, before_); }

  // `touching` lists, for each vertex of `rows`, the classes, of `num_classes`, that contain it.
  void reset(const LevelRows& rows, RaggedView touching, std::size_t num_classes);

  void insert(Node v, Pace& pace);
  void push(Node v, Pace& pace) {
    mark();
    insert(v, pace);
  }
  void mark();
  void pop();

  std::span<const Node> members() const { return reached_.members(); }
  std::size_t size() const { return reached_.size(); }

 private:
  void prefetch_lists(std::span<const Node> vertices, std::size_t current) const;

  ClosedCover cover_;
  RaggedView touching_;
  StackSet reached_;
  ChargedBuffer<std::size_t> before_;  // the size at the beginning of each step
};

}  // namespace cliquepool
