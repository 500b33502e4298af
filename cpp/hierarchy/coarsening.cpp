#include "hierarchy/coarsening.hpp"

#include <algorithm>
#include <array>

#include "base/bitset.hpp"
#include "base/charged_buffer.hpp"

namespace cliquepool {
namespace {

constexpr Offset kMostInWords = kWordBits * kWordBits;  // entries
constexpr Offset kManyPools = 1 << 16;                  // from here on, memory is freed as soon as it can be
constexpr std::int64_t kShareOfBuckets = 16;            // joining classes takes a little more than the result

std::int64_t bytes_of_rows(Offset classes, Offset entries) {
  return (classes + 1) * static_cast<Offset>(sizeof(Offset)) + entries * static_cast<Offset>(sizeof(Node));
}

// Coarsens with every set a machine word, for at most 64 vertices. Returns false, with `coarse` undefined, if there are
// more than 64 classes of pools.
bool coarsen_in_words(GraphView graph, RaggedView pools, TwinLevel& coarse) {
  std::array<Word, kWordBits> closed{};    // N[v]
  std::array<Word, kWordBits> touching{};  // of each vertex, the classes whose first pool contains it
  std::array<Word, kWordBits> reach{};     // of each class, N[P]
  for (Node v = 0; v < graph.num_nodes(); ++v) {
    closed[idx(v)] = Word{1} << v;
    for (const Node u : graph[v]) closed[idx(v)] |= Word{1} << u;
  }
  coarse.classes.clear();
  coarse.sizes.clear();
  for (Offset p = 0; p < pools.size(); ++p) {
    Word neighbourhood = 0;
    for (const Node v : pools[p]) neighbourhood |= closed[idx(v)];
    const auto known = reach.begin() + static_cast<std::ptrdiff_t>(coarse.sizes.size());
    const auto twin = std::find(reach.begin(), known, neighbourhood);
    const auto c = static_cast<std::size_t>(twin - reach.begin());
    if (c == reach.size()) return false;
    coarse.classes.push_back(static_cast<Node>(c));
    if (twin != known) {
      ++coarse.sizes[c];
      continue;
    }
    *twin = neighbourhood;
    coarse.sizes.push_back(1);
    for (const Node v : pools[p]) touching[idx(v)] |= Word{1} << c;
  }
  Graph& quotient = coarse.quotient;
  quotient.offsets.clear();
  quotient.neighbours.clear();
  quotient.offsets.push_back(0);
  const Width<1> width(1);
  for (std::size_t c = 0; c < coarse.sizes.size(); ++c) {
    Word joined = 0;
    width.for_each(&reach[c], [&](Node v) { joined |= touching[idx(v)]; });
    joined &= ~(Word{1} << c);
    width.for_each(&joined, [&](Node d) { quotient.neighbours.push_back(d); });
    quotient.offsets.push_back(static_cast<Offset>(quotient.neighbours.size()));
  }
  return true;
}

}  // namespace

bool CoarseningOptions::fits(Offset classes, Offset entries, const Budget& budget) const {
  const std::int64_t per_entry = static_cast<std::int64_t>(sizeof(Node)) + bytes_above;
  const std::int64_t left = budget.limits().max_bytes - budget.bytes() - classes * static_cast<Offset>(sizeof(Offset));
  return entries <= most_stored && entries <= (left - left / kShareOfBuckets) / per_entry;
}

std::unique_ptr<ImpliedLevel> Coarsener::run(const LevelRows& rows, RaggedView pools, const CoarseningOptions& options,
                                             Budget& budget, TwinLevel& coarse) {
  const bool may_use_words = rows.implied() == nullptr && options.most_stored >= kMostInWords;
  if (may_use_words && rows.num_nodes() <= kWordBits && coarsen_in_words(rows.stored(), pools, coarse)) return nullptr;
  const ChargeScope trie_scope(budget, trie_.buffers());
  const ChargeScope scope(budget, twins_, edges_);
  find_classes(rows, pools, options.threads, budget, coarse);
  const auto representatives = twins_.representatives();
  const auto classes = static_cast<Offset>(representatives.size());
  if (!options.fits(classes, twins_.most_entries(), budget)) {
    const Offset entries = edges_.count(coarse.sizes.span());  // the bound may be far too high
    if (options.may_imply && !options.fits(classes, entries, budget)) {
      coarse.quotient.offsets.clear();
      coarse.quotient.neighbours.clear();
      return std::make_unique<ImpliedLevel>(rows, trie_, representatives, coarse.classes.span(), edges_, budget);
    }
    // Fails at once, with the exact need, where the quotient does not fit.
    const ScopedCharge need(budget, bytes_of_rows(classes, entries));
  }
  edges_.join(coarse.quotient);
  return nullptr;
}

void Coarsener::run_into(const LevelRows& rows, RaggedView pools, unsigned threads, const Allocate& allocate,
                         Budget& budget, TwinLevel& coarse) {
  const ChargeScope trie_scope(budget, trie_.buffers());
  const ChargeScope scope(budget, twins_, edges_);
  find_classes(rows, pools, threads, budget, coarse);
  const Offset entries = edges_.count();
  Buffer<Offset>& offsets = coarse.quotient.offsets;
  resize_result(offsets, edges_.degrees().size() + 1, budget);
  offsets[0] = 0;
  for (std::size_t c = 0; c < edges_.degrees().size(); ++c) offsets[c + 1] = offsets[c] + edges_.degrees()[c];
  coarse.quotient.neighbours.clear();
  edges_.join_into(offsets.span(), allocate(entries));
}

// Finds the twin classes of the pools, and prepares for joining them.
void Coarsener::find_classes(const LevelRows& rows, RaggedView pools, unsigned threads, Budget& budget,
                             TwinLevel& coarse) {
  trie_.build(rows, pools, threads, budget);
  twins_.find(rows, pools, trie_, threads, coarse);
  if (pools.size() >= kManyPools) twins_.free_work();
  edges_.begin(rows, trie_, twins_.representatives(), coarse.classes.span(), threads);
}

}  // namespace cliquepool
