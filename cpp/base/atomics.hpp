// Relaxed atomic operations on elements of plain arrays, for values that several threads read and write at once.
//
// std::atomic_ref does this too, but libc++ has it only since version 19.
#pragma once

#include <type_traits>

#if !defined(__GNUC__) && !defined(__clang__)
#include <atomic>
#endif

namespace cliquepool {

template <typename T>
T atomic_load(const T& value) {
  static_assert(std::is_integral_v<T>);
#if defined(__GNUC__) || defined(__clang__)
  return __atomic_load_n(&value, __ATOMIC_RELAXED);
#else
  return std::atomic_ref<T>(const_cast<T&>(value)).load(std::memory_order_relaxed);
#endif
}

template <typename T>
void atomic_store(T& value, T to) {
  static_assert(std::is_integral_v<T>);
#if defined(__GNUC__) || defined(__clang__)
  __atomic_store_n(&value, to, __ATOMIC_RELAXED);
#else
  std::atomic_ref<T>(value).store(to, std::memory_order_relaxed);
#endif
}

// Returns the value before.
template <typename T>
T atomic_add(T& value, T more) {
  static_assert(std::is_integral_v<T>);
#if defined(__GNUC__) || defined(__clang__)
  return __atomic_fetch_add(&value, more, __ATOMIC_RELAXED);
#else
  return std::atomic_ref<T>(value).fetch_add(more, std::memory_order_relaxed);
#endif
}

// Subtracts 1 from a value above `least`. Returns the value before; if it is not above, nothing is changed.
template <typename T>
T atomic_decrease_above(T& value, T least) {
  T before = atomic_load(value);
#if defined(__GNUC__) || defined(__clang__)
  while (before > least &&
         !__atomic_compare_exchange_n(&value, &before, before - 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#else
  while (before > least &&
         !std::atomic_ref<T>(value).compare_exchange_weak(before, before - 1, std::memory_order_relaxed)) {
  }
#endif
  return before;
}

}  // namespace cliquepool
