// The integer types that node ids of the caller may have.
#pragma once

#include <concepts>
#include <cstdint>

namespace cliquepool {

template <typename Id>
concept NodeId = std::same_as<Id, std::int32_t> || std::same_as<Id, std::int64_t>;

}  // namespace cliquepool
