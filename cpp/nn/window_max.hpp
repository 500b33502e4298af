// Maxima over sliding windows with stride 1, the clique pools of a grid of pixels, and their gradient. Values and
// indices equal those of torch's max pools; the time hardly grows with the window.
#pragma once

#include <cstddef>

#include "base/types.hpp"

namespace cliquepool {

// The sides of an image, of a window, or of a pooled image. Two-dimensional images have depth 1, chains also height 1.
struct Sides {
  std::size_t depth;
  std::size_t height;
  std::size_t width;

  std::size_t size() const { return depth * height * width; }
};

// Returns the sides of the pooled image: one pixel for each window.
inline Sides pooled_sides(Sides image, Sides window) {
  return {image.depth - window.depth + 1, image.height - window.height + 1, image.width - window.width + 1};
}

// Pools `count` images, row-major, one after another: y gets the largest pixel of each window, and `where`, unless it
// is null, the index of that pixel in its image: the first of equal pixels, and the last of several NaN, which count as
// larger than anything. No side of the window may be 0 or longer than that of the image.
template <typename T>
void window_max(const T* x, std::size_t count, Sides image, Sides window, unsigned threads, T* y, Node* where);

// Adds every g to `to` at the index of its maximum, in the order of g: the gradient, if `to` starts as zeros.
// `pixels` and `windows` are the numbers of each in one image.
template <typename T>
void window_max_backward(const Node* where, const T* g, std::size_t count, std::size_t pixels, std::size_t windows,
                         unsigned threads, T* to);

}  // namespace cliquepool
