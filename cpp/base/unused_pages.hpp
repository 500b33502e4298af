// Gives memory back to the system before it is freed. Blocks of up to 32 MB come from the heap of malloc, which keeps
// freed ones for later: a pass that frees many of them while its result grows would take the sum of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace cliquepool {

// Drops the whole pages in `values`, which are undefined afterwards and must not be read before they are written. Does
// nothing where the system has no such call.
template <typename T>
void drop_pages([[maybe_unused]] std::span<T> values) {
#if defined(__linux__) && defined(MADV_DONTNEED)
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(values.data());
  const std::uintptr_t begin = (address + page - 1) / page * page;
  const std::uintptr_t end = (address + values.size_bytes()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
#endif
}

}  // namespace cliquepool
