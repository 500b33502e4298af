// Growable array of plain values on malloc and realloc: a large one grows by remapping pages instead of copying them,
// capacity that is never touched takes no memory, and the memory can be handed to NumPy.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace cliquepool {

template <typename T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { resize(size); }
  Buffer(std::size_t size, T value) { assign(size, value); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Buffer() { std::free(data_); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) {
    assert(i < size_);
    return data_[i];
  }
  const T& operator[](std::size_t i) const {
    assert(i < size_);
    return data_[i];
  }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  std::span<const T> span() const { return {data_, size_}; }
  std::span<T> span() { return {data_, size_}; }

  // New values are uninitialised.
  void resize(std::size_t size) {
    if (size > capacity_) grow(size);
    size_ = size;
  }
  void assign(std::size_t size, T value) {
    resize(size);
    for (std::size_t i = 0; i < size; ++i) data_[i] = value;
  }
  void clear() { size_ = 0; }
  void push_back(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  void append(std::span<const T> values) {
    if (values.empty()) return;
    const std::size_t old = size_;
    resize(old + values.size());
    std::memcpy(data_ + old, values.data(), values.size_bytes());
  }
  // Returns where `count` more values may be written; `commit` then appends those that were.
  T* reserve_more(std::size_t count) {
    if (size_ + count > capacity_) grow(size_ + count);
    return data_ + size_;
  }
  void commit(std::size_t count) {
    assert(size_ + count <= capacity_);
    size_ += count;
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  void shrink_to_fit() {
    if (size_ == 0) {
      std::free(release());
    } else if (size_ < capacity_) {
      reallocate(size_);
    }
  }
  // Returns the bytes of `count` values; throws if no array can be so long.
  static std::size_t bytes(std::size_t count) {
    if (count > static_cast<std::size_t>(PTRDIFF_MAX) / sizeof(T)) throw std::bad_alloc();
    return count * sizeof(T);
  }
  // Hands the memory out; free it with std::free.
  T* release() {
    size_ = capacity_ = 0;
    return std::exchange(data_, nullptr);
  }

 private:
  void grow(std::size_t wanted) {
    const std::size_t larger = capacity_ + capacity_ / 2 + 16;
    reallocate(wanted > larger ? wanted : larger);
  }
  void reallocate(std::size_t capacity) {
    void* block = std::realloc(static_cast<void*>(data_), bytes(capacity));
    if (block == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(block);
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace cliquepool
