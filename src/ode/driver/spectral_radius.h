// The modulus of the largest eigenvalue of the Jacobian, by the power method from step to step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "linear/aligned_array.h"

namespace stiffit::internal {

class SpectralRadius {
 public:
  explicit SpectralRadius(std::size_t size);
  // `multiply` is x -> J x. The vector of the last call is the first guess of the next. The result
  // is a little more than what was found, to be safe.
  using Multiply = std::function<void(const double* x, double* out)>;
  double of(const Multiply& multiply);
  // The same from few products, so that it may need some calls to arrive.
  double quick(const Multiply& multiply);
  // The dominant eigenvalue itself if it is real: the Rayleigh quotient of that vector.
  double signed_of(const Multiply& multiply);

 private:
  void begin();
  double iterate(const Multiply& multiply, int most_iterations);
  AlignedArray x_, image_;
};

}  // namespace stiffit::internal
