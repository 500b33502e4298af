// The canonical order of pools of equal weight.
#pragma once

#include "base/budget.hpp"
#include "base/types.hpp"

namespace cliquepool {

// Returns the lists with ascending members, sorted by them. The memory of the result stays charged to the budget.
Ragged sorted_lists(RaggedView lists, Budget& budget);

}  // namespace cliquepool
