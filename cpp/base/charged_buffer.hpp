// Arrays that charge their memory to the budget of the call.
//
// The rules:
// - A ChargedBuffer charges memory before it touches it, and is charged for as many values as it may hold without
//   growing: `resize`, `assign` and `reserve` charge exactly what they are given; `push_back`, `append` and
//   `reserve_more` charge a block ahead, so that most of them cost one comparison.
// - The charge is released when the buffer is destroyed, by `shrink_to_fit` for the part that is not used, and by
//   `unbind`. `clear`, `truncate` and `pop_back` keep the memory, and so the charge.
// - A charge that the budget refuses (BudgetExceeded), or an allocation that fails (std::bad_alloc), leaves the buffer
//   and the budget as they were.
// - A result outlives the buffers of its call, and stays charged until the budget itself ends with the call: `take`
//   hands the values out as a plain Buffer, `resize_result` charges a Buffer that the caller provides.
// - Memory kept from call to call is bound to the budget of each call in turn, for a scope: see ChargeScope. An unbound
//   buffer is empty and cannot grow.
// - ScopedCharge is for memory that is not in a ChargedBuffer.
//
// A buffer belongs to one thread at a time; the threads of a call may share its budget.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <utility>

#include "base/budget.hpp"
#include "base/buffer.hpp"

namespace cliquepool {

// Growable array of plain values. The interface is that of Buffer.
template <typename T>
class ChargedBuffer {
 public:
  ChargedBuffer() = default;  // unbound
  explicit ChargedBuffer(Budget& budget) : budget_(&budget) {}
  ChargedBuffer(Budget& budget, std::size_t size) : budget_(&budget) { resize(size); }
  ChargedBuffer(Budget& budget, std::size_t size, T value) : budget_(&budget) { assign(size, value); }
  ChargedBuffer(const ChargedBuffer&) = delete;
  ChargedBuffer& operator=(const ChargedBuffer&) = delete;
  ChargedBuffer(ChargedBuffer&& other) noexcept { swap(other); }
  ChargedBuffer& operator=(ChargedBuffer&& other) noexcept {
    ChargedBuffer(std::move(other)).swap(*this);
    return *this;
  }
  ~ChargedBuffer() { release_charge(); }

  std::size_t size() const { return static_cast<std::size_t>(next_ - data_); }
  bool empty() const { return next_ == data_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return next_; }
  const T* begin() const { return data_; }
  const T* end() const { return next_; }
  T& operator[](std::size_t i) {
    assert(i < size());
    return data_[i];
  }
  const T& operator[](std::size_t i) const {
    assert(i < size());
    return data_[i];
  }
  T& back() { return next_[-1]; }
  const T& back() const { return next_[-1]; }
  std::span<T> span() { return {data_, size()}; }
  std::span<const T> span() const { return {data_, size()}; }

  // New values are uninitialised.
  void resize(std::size_t size) {
    reserve(size);
    next_ = data_ + size;
  }
  void assign(std::size_t size, T value) {
    resize(size);
    std::fill_n(data_, size, value);
  }
  void reserve(std::size_t capacity) {
    if (capacity > charged()) grow_to(capacity);
  }
  // Returns where `count` more values may be written; `commit` then appends those that were.
  T* reserve_more(std::size_t count) {
    if (static_cast<std::size_t>(end_ - next_) < count) grow_by(count);
    return next_;
  }
  void commit(std::size_t count) {
    assert(count <= static_cast<std::size_t>(end_ - next_));
    next_ += count;
  }
  void push_back(T value) {
    if (next_ == end_) grow_by(1);
    *next_++ = value;
  }
  void append(std::span<const T> values) {
    if (values.empty()) return;
    std::memcpy(reserve_more(values.size()), values.data(), values.size_bytes());
    next_ += values.size();
  }
  void pop_back() { --next_; }
  void truncate(std::size_t size) {
    assert(size <= this->size());
    next_ = data_ + size;
  }
  void clear() { next_ = data_; }
  void shrink_to_fit() {
    const std::size_t used = size();
    release_charge(charged() - used);
    allocated_.resize(used);
    point_into(used);
    allocated_.shrink_to_fit();
    point_into(used);
  }

  // Hands out the values, shrunk to fit, and leaves their charge with the budget.
  Buffer<T> take() {
    shrink_to_fit();
    data_ = next_ = end_ = nullptr;
    return std::exchange(allocated_, Buffer<T>());
  }

  // Starts an empty buffer, which charges `budget` from now on; it must live until `unbind`.
  void bind(Budget& budget) {
    unbind();
    budget_ = &budget;
  }
  // Releases the charge and keeps the memory for the next budget, unless it is large: many small graphs are pooled in
  // the same memory, but a large one should not keep what its next step does not need.
  void unbind() {
    release_charge();
    if (allocated_.size() * sizeof(T) > kMostKept) allocated_ = Buffer<T>();
    allocated_.clear();
    point_into(0);
    budget_ = nullptr;
  }

 private:
  static constexpr std::size_t kSmallestBlock = 256;
  static constexpr std::size_t kLargestBlock = std::size_t{1} << 16;
  static constexpr std::size_t kMostKept = std::size_t{1} << 24;  // bytes

  static std::int64_t bytes(std::size_t count) { return static_cast<std::int64_t>(Buffer<T>::bytes(count)); }

  std::size_t charged() const { return static_cast<std::size_t>(end_ - data_); }

  void grow_by(std::size_t count) {
    const std::size_t used = size();
    grow_to(used + std::max(count, std::clamp(used / 2, kSmallestBlock, kLargestBlock)));
  }
  // What is allocated may be more than what is charged, but memory that is not touched costs nothing.
  void grow_to(std::size_t wanted) {
    assert(budget_ != nullptr);
    const std::size_t used = size();
    const std::int64_t more = bytes(wanted - charged());
    budget_->add_bytes(more);
    try {
      allocated_.resize(wanted);
    } catch (...) {
      budget_->release_bytes(more);
      throw;
    }
    point_into(used);
  }
  void point_into(std::size_t used) {
    data_ = allocated_.data();
    next_ = data_ + used;
    end_ = data_ + allocated_.size();
  }
  void release_charge(std::size_t count) {
    if (budget_ != nullptr && count > 0) budget_->release_bytes(static_cast<std::int64_t>(count * sizeof(T)));
  }
  void release_charge() { release_charge(charged()); }
  void swap(ChargedBuffer& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(allocated_, other.allocated_);
    std::swap(data_, other.data_);
    std::swap(next_, other.next_);
    std::swap(end_, other.end_);
  }

  Budget* budget_ = nullptr;
  Buffer<T> allocated_;  // its size is how many values are charged
  T* data_ = nullptr;    // where `allocated_` is, to have the hot paths in three pointers
  T* next_ = nullptr;    // the end of the values
  T* end_ = nullptr;     // the end of what is charged
};

// For classes that keep several buffers, to write their own `bind` and `unbind`.
template <typename... Buffers>
void bind_all(Budget& budget, Buffers&... buffers) {
  (buffers.bind(budget), ...);
}
template <typename... Buffers>
void unbind_all(Buffers&... buffers) {
  (buffers.unbind(), ...);
}

// Binds buffers, or classes of buffers, that are kept from call to call to the budget of this call. They start empty,
// and when the scope ends, also by an exception, they are empty again and charge nothing.
template <typename... Buffers>
class [[nodiscard]] ChargeScope {
 public:
  explicit ChargeScope(Budget& budget, Buffers&... buffers) : ChargeScope(budget, std::tie(buffers...)) {}
  // From the `buffers()` of a class that keeps some.
  ChargeScope(Budget& budget, std::tuple<Buffers&...> buffers) : buffers_(buffers) {
    std::apply([&](Buffers&... each) { (each.bind(budget), ...); }, buffers_);
  }
  ChargeScope(const ChargeScope&) = delete;
  ChargeScope& operator=(const ChargeScope&) = delete;
  ~ChargeScope() {
    std::apply([](Buffers&... each) { (each.unbind(), ...); }, buffers_);
  }

 private:
  std::tuple<Buffers&...> buffers_;
};

// Charges bytes for a scope.
class [[nodiscard]] ScopedCharge {
 public:
  ScopedCharge(Budget& budget, std::int64_t bytes) : budget_(budget), bytes_(bytes) { budget_.add_bytes(bytes_); }
  ScopedCharge(const ScopedCharge&) = delete;
  ScopedCharge& operator=(const ScopedCharge&) = delete;
  ~ScopedCharge() { budget_.release_bytes(bytes_); }

 private:
  Budget& budget_;
  std::int64_t bytes_;
};

// Resizes an array that the call returns, and charges all of it: a caller that passes the same array again has copied
// the values of the call before.
template <typename T>
void resize_result(Buffer<T>& result, std::size_t size, Budget& budget) {
  const auto bytes = static_cast<std::int64_t>(Buffer<T>::bytes(size));
  budget.add_bytes(bytes);
  try {
    result.resize(size);
  } catch (...) {
    budget.release_bytes(bytes);
    throw;
  }
}

}  // namespace cliquepool
