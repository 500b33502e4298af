// Maxima over sliding windows with stride 1, which are the clique pools of a grid of pixels, and their gradient:
// value for value and place for place what torch's max pools give, in a time that hardly grows with the window.
#pragma once

#include <cstddef>

#include "base/types.hpp"

namespace cliquepool {

// The sides of an image, of a window, or of what windows make of an image; images have depth 1, chains height 1 too.
struct Sides {
  std::size_t depth;
  std::size_t height;
  std::size_t width;

  std::size_t size() const { return depth * height * width; }
};

// What is left of an image when every window inside it has become a pixel.
inline Sides pooled_sides(Sides image, Sides window) {
  return {image.depth - window.depth + 1, image.height - window.height + 1, image.width - window.width + 1};
}

// `count` images, row-major, one after the other: y gets the largest pixel of each window, and `where`, unless it is
// null, the place of that pixel in its image. Of equal pixels it is the first; of several NaN, which count as larger
// than anything, the last. No side of the window may be 0 or longer than the image's.
template <typename T>
void window_max(const T* x, std::size_t count, Sides image, Sides window, unsigned threads, T* y, Node* where);

// Adds every g to `to` at the place that its maximum came from, in the order of g: to zeros, the gradient.
// `pixels` and `windows` are how many there are in one image.
template <typename T>
void window_max_backward(const Node* where, const T* g, std::size_t count, std::size_t pixels, std::size_t windows,
                         unsigned threads, T* to);

}  // namespace cliquepool
