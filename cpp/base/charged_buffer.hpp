// A growing array whose memory is charged to the budget before it is touched.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/budget.hpp"
#include "base/buffer.hpp"

namespace cliquepool::listing {

template <typename T>
class Charged {
 public:
  explicit Charged(Budget& budget) : budget_(&budget) {}
  Charged(const Charged&) = delete;
  Charged& operator=(const Charged&) = delete;
  ~Charged() { budget_->release_bytes(bytes(charged_)); }

  std::size_t size() const { return static_cast<std::size_t>(next_ - data_); }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, size()}; }

  // A place for `count` more values: write there, then `commit` those written.
  T* room(std::size_t count) {
    if (static_cast<std::size_t>(end_ - next_) < count) grow(count);
    return next_;
  }
  void commit(std::size_t count) { next_ += count; }
  void push_back(T value) {
    *room(1) = value;
    ++next_;
  }
  void truncate(std::size_t size) { next_ = data_ + size; }
  // New places hold whatever was there: fill them.
  void resize(std::size_t size) {
    if (size > this->size()) room(size - this->size());
    next_ = data_ + size;
  }

  // Gives the values away with the charge for them, which is then the receiver's.
  Buffer<T> take() {
    const std::size_t used = size();
    buffer_.resize(used);
    buffer_.shrink_to_fit();
    budget_->release_bytes(bytes(charged_ - used));
    charged_ = 0;
    data_ = next_ = end_ = nullptr;
    return std::exchange(buffer_, Buffer<T>());
  }

 private:
  static constexpr std::size_t kSmallestBlock = 256;
  static constexpr std::size_t kLargestBlock = std::size_t{1} << 16;

  static std::int64_t bytes(std::size_t count) { return static_cast<std::int64_t>(count * sizeof(T)); }

  // Charges a block beyond what is asked for; the capacity itself may be larger, but untouched it costs nothing.
  void grow(std::size_t count) {
    const std::size_t used = size();
    const std::size_t wanted = used + std::max(count, std::clamp(used / 2, kSmallestBlock, kLargestBlock));
    if (wanted > charged_) {
      budget_->add_bytes(bytes(wanted - charged_));
      charged_ = wanted;
    }
    buffer_.resize(wanted);
    data_ = buffer_.data();
    next_ = data_ + used;
    end_ = data_ + wanted;
  }

  Budget* budget_;
  Buffer<T> buffer_;
  T* data_ = nullptr;
  T* next_ = nullptr;
  T* end_ = nullptr;
  std::size_t charged_ = 0;
};

}  // namespace cliquepool::listing
