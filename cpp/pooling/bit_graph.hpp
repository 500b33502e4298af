// A small dense graph as bitset rows, and the effort that a search over it spends.
#pragma once

#include "base/bitset.hpp"
#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

struct BitGraph {
  Node size = 0;
  int words = 0;  // of each row
  Buffer<Word> rows;
  Buffer<Node> weight;

  // Widths that searches are compiled for are met exactly.
  static int fitting_words(Node size) {
    const int words = words_for(size);
    return words == 3 ? 4 : words;
  }

  void reset(Node new_size) {
    size = new_size;
    words = fitting_words(size);
    rows.assign(idx(size) * idx(words), 0);
    weight.resize(idx(size));
  }
  Word* row(Node v) { return rows.data() + idx(v) * idx(words); }
  const Word* row(Node v) const { return rows.data() + idx(v) * idx(words); }
};

// Words that may still be looked at, told to the budget's pace as they are.
class Effort {
 public:
  void begin(std::int64_t words, Pace& pace) {
    left_ = words;
    pace_ = &pace;
  }
  void spend(std::int64_t words) {
    left_ -= words;
    pace_->step(idx(words));
  }
  bool spent() const { return left_ < 0; }

 private:
  std::int64_t left_ = 0;
  Pace* pace_ = nullptr;
};

}  // namespace cliquepool
