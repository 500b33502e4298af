#include "pooling/pooler.hpp"

#include "pooling/pairs_and_singles.hpp"

namespace cliquepool {

void Pooler::run(const WeightedGraph& graph, const Options& options, Budget& budget, Ragged& pools) {
  PoolingRun run(graph, options, budget, pools, memory_);
  if (SmallGraphPooling::fits(graph)) return small_.pool(run);
  budget.check();
  if (!words_.pool(run)) by_degeneracy_.pool(run);  // words_ declines graphs whose neighbourhoods exceed a word
  if (run.wants_more()) pool_pairs_and_singles(run);
}

}  // namespace cliquepool
