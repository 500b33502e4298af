// The clique recursion over vertex sets of one machine word.
#pragma once

#include <array>
#include <cassert>

#include "base/bitset.hpp"
#include "base/types.hpp"

namespace cliquepool {

// The vertices of a weighted graph of at most 64 nodes, in order. A vertex of weight w stands for w twins and has w
// consecutive bits, so that the weight of a set of whole vertices is the number of its bits. Slots number the vertices
// in the order of their bits. Owns nothing.
struct WordVertices {
  Word heads;          // the first bit of each vertex
  const Word* twins;   // per slot: the bits of the vertex
  const Word* later;   // per slot: the bits of its neighbours in later slots
  const Node* vertex;  // per slot: the vertex id

  // Returns the slot of the vertex that the lowest bit of `bits` is the head of.
  std::size_t slot(Word bits) const { return idx(std::popcount(heads & (bits ^ (bits - 1)))) - 1; }
};

// Finds cliques by trying every vertex, with no bound but the number of bits left: fast where these are few. Every try
// costs one unit of effort. When the effort is below 0 the search stops, and its results are incomplete.
class WordCliqueSearch {
 public:
  static constexpr std::size_t kMaxMembers = kWordBits + 1;  // with the vertex that list_with adds

  WordCliqueSearch(const WordVertices& vertices, std::int64_t effort) : vertices_(vertices), effort_(effort) {}

  std::int64_t effort() const { return effort_; }

  // Returns the weight of the heaviest clique in `among`, or `least` if none weighs more.
  Node max_weight(Word among, Node least) {
    wanted_ = least + 1;
    extend(among, 0, 0, [this](Node weight, std::size_t) { wanted_ = weight + 1; });
    return wanted_ - 1;
  }

  // Appends all cliques of exactly `weight` in `among` to `cliques`, ordered by their slots. Requires that no clique
  // there weighs more.
  void list(Word among, Node weight, Ragged& cliques) { list_from(0, among, weight, cliques); }

  // The same, with vertex `first` added to each clique.
  void list_with(Node first, Word among, Node weight, Ragged& cliques) {
    chosen_[0] = first;
    if (weight > 0) return list_from(1, among, weight, cliques);
    assert(among == 0);
    cliques.append({chosen_.data(), 1});
  }

 private:
  void list_from(std::size_t depth, Word among, Node weight, Ragged& cliques) {
    wanted_ = weight;
    extend(among, 0, depth, [&]([[maybe_unused]] Node found, std::size_t size) {
      assert(found == weight);
      cliques.append({chosen_.data(), size});
    });
  }

  // Calls on_clique(weight, size) for every clique of weight `wanted_` or more that consists of the `depth` chosen
  // vertices, which weigh `weight`, and of vertices in `among`, the later neighbours of all of them.
  template <typename OnClique>
  void extend(Word among, Node weight, std::size_t depth, const OnClique& on_clique) {
    for (Word bits = among & vertices_.heads; bits != 0; bits &= bits - 1) {
      if (weight + std::popcount(among) < wanted_ || --effort_ < 0) return;
      const std::size_t slot = vertices_.slot(bits);
      const Word twins = vertices_.twins[slot];
      const Word next = among & vertices_.later[slot];
      const Node extended = weight + std::popcount(twins);
      among &= ~twins;
      chosen_[depth] = vertices_.vertex[slot];
      if (extended + std::popcount(next) < wanted_) continue;
      if (next == 0) {
        on_clique(extended, depth + 1);
      } else {
        extend(next, extended, depth + 1, on_clique);
      }
    }
  }

  WordVertices vertices_;
  std::int64_t effort_;
  Node wanted_ = 0;  // least weight of the cliques that are of interest
  std::array<Node, kMaxMembers> chosen_;
};

}  // namespace cliquepool
