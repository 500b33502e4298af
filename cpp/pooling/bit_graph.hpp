// A small dense graph as an adjacency matrix of bits, with vertex weights.
#pragma once

#include "base/bitset.hpp"
#include "base/types.hpp"

namespace cliquepool {

struct BitGraph {
  Node size = 0;
  int words = 0;  // per row
  Buffer<Word> rows;
  Buffer<Node> weight;

  // Returns the number of words per row. Three become four: searches are compiled for 1, 2 and 4 words, and for any
  // number at a higher cost.
  static int words_per_row(Node size) {
    const int words = words_for(size);
    return words == 3 ? 4 : words;
  }

  // Starts a graph without edges. Weights are left uninitialised.
  void reset(Node new_size) {
    size = new_size;
    words = words_per_row(size);
    rows.assign(idx(size) * idx(words), 0);
    weight.resize(idx(size));
  }
  Word* row(Node v) { return rows.data() + idx(v) * idx(words); }
  const Word* row(Node v) const { return rows.data() + idx(v) * idx(words); }
};

// Calls call(width) with the width that the searches of this graph are compiled for.
template <typename Call>
auto with_width(const BitGraph& graph, Call&& call) {
  switch (graph.words) {
    case 1:
      return call(Width<1>(1));
    case 2:
      return call(Width<2>(2));
    case 4:
      return call(Width<4>(4));
    default:
      return call(Width<0>(graph.words));
  }
}

// Makes `set` the vertices 0 to `count` - 1 of a graph with rows of `words` words.
inline void assign_first(Buffer<Word>& set, int words, Node count) {
  set.assign(idx(words), 0);
  for (int w = 0; w < count / kWordBits; ++w) set[idx(w)] = ~Word{0};
  if (count % kWordBits != 0) set[idx(count / kWordBits)] = (Word{1} << (count % kWordBits)) - 1;
}

}  // namespace cliquepool
