// Cliques that one thread has found in the current round.
#pragma once

#include <cstdint>
#include <span>

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// The cliques wait here, as lists of vertex ids, until the round is closed. They are charged to the budget meanwhile.
class FoundCliques {
 public:
  // Returned by the `vertex_of` of `append_heaviest` for a local vertex that is only a copy of another one.
  static constexpr Node kCopy = -1;

  Ragged lists;
  // Cliques of three vertices, end to end: a large graph may have millions of them, and offsets would take 2/3 as much
  // memory again.
  Buffer<Node> triangles;

  void append_triangle(Node a, Node b, Node c) {
    Node* const to = triangles.reserve_more(3);
    to[0] = a;
    to[1] = b;
    to[2] = c;
    triangles.commit(3);
  }
  Offset size() const { return lists.size() + static_cast<Offset>(triangles.size() / 3); }
  std::int64_t bytes() const { return lists.bytes() + static_cast<std::int64_t>(triangles.size() * sizeof(Node)); }
  // Appends the triangles to the lists.
  void list_triangles() {
    for (std::size_t i = 0; i < triangles.size(); i += 3) lists.append(triangles.span().subspan(i, 3));
    triangles.clear();
  }

  // Counts the cliques that were added since the last call, and charges their memory.
  void charge(Budget& budget) {
    budget.add_cliques(size() - counted_);
    counted_ = size();
    const std::int64_t bytes = this->bytes();
    budget.add_bytes(bytes - charged_bytes_);
    charged_bytes_ = bytes;
  }
  // Does so once there are many: the threads of a call share its budget, and would wait for each other.
  void charge_some(Budget& budget) {
    if (size() - counted_ >= kCliquesPerCharge) charge(budget);
  }
  // Removes all cliques and releases their memory, not their number.
  void clear(Budget& budget) {
    budget.release_bytes(charged_bytes_);
    forget();
  }
  // Removes all cliques without touching a budget: that of an interrupted run no longer exists.
  void forget() {
    if (lists.bytes() > kMostBytesKept) lists = Ragged();
    lists.clear();
    if (triangles.size() > idx(kMostBytesKept) / sizeof(Node)) triangles = Buffer<Node>();
    triangles.clear();
    counted_ = 0;
    charged_bytes_ = 0;
  }

  // Appends all cliques of weight `target` of a local graph, each as `first_members` and vertex_of(v) of its local
  // vertices v. No clique of the local graph may weigh more. Returns `target` if there is such a clique, else a smaller
  // upper bound on the weight of every clique of the local graph.
  template <typename Search, typename VertexOf>
  Node append_heaviest(Search& search, Node target, std::span<const Node> first_members, VertexOf&& vertex_of,
                       Pace& pace, Budget& budget) {
    const Node reached = search.heaviest(target, pace, [&](std::span<const Node> local_clique) {
      append(first_members, local_clique, vertex_of, budget);
    });
    if (size() > counted_) charge(budget);
    return reached;
  }

  // Appends one of these cliques.
  template <typename VertexOf>
  void append(std::span<const Node> first_members, std::span<const Node> local_clique, VertexOf&& vertex_of,
              Budget& budget) {
    lists.members.append(first_members);
    Node* const begin = lists.members.reserve_more(local_clique.size());
    Node* end = begin;
    for (const Node local : local_clique) {
      *end = vertex_of(local);
      end += *end != kCopy;
    }
    lists.members.commit(static_cast<std::size_t>(end - begin));
    lists.close_list();
    if (size() - counted_ < kCliquesPerCharge) return;
    charge(budget);
    budget.check();
  }

 private:
  static constexpr Offset kCliquesPerCharge = 256;
  static constexpr std::int64_t kMostBytesKept = 1 << 24;

  Offset counted_ = 0;
  std::int64_t charged_bytes_ = 0;
};

}  // namespace cliquepool
