// The end of a search with unit weights: cliques that miss at most two vertices need no bounds.
#pragma once

#include "pooling/search_state.hpp"

namespace cliquepool {

inline constexpr Node kMaxLastVertices = 2;

// Reports every clique of the chosen vertices and `need` candidates of the top depth.
template <int kWords, typename Found>
void choose_last_vertices(Width<kWords> width, SearchState& state, Node need, Found&& found) {
  const Word* const among = state.stack.candidates();
  if (need == 0) {
    state.report(found);
  } else if (need == 1) {
    width.for_each(among, [&](Node v) { state.report_with(v, found); });
  } else {
    assert(need == kMaxLastVertices);
    width.for_each(among, [&](Node u) {
      const Word* const neighbours = state.graph->row(u);
      state.stack.chosen().push_back(u);
      for (int w = u / kWordBits; w < width.words(); ++w) {
        Word bits = among[w] & neighbours[w];
        if (w == u / kWordBits) bits &= ~Word{0} << (u % kWordBits);  // each pair once
        for (; bits != 0; bits &= bits - 1) state.report_with(w * kWordBits + std::countr_zero(bits), found);
      }
      state.stack.chosen().pop_back();
    });
  }
}

}  // namespace cliquepool
