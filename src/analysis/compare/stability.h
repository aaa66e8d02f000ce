// Where a method is stable, found by running its own step on y' = lambda y.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <string>

#include "ode/simulate.h"

namespace stiffit::internal {

class StabilityTrial {
 public:
  // A method that takes fixed steps. `order` of those that have several (--max-order); 0: its own.
  explicit StabilityTrial(const std::string& method, int order = 0);
  ~StabilityTrial();
  // The factor by which |y| changes in a step, z = h lambda (over many steps for methods with a
  // memory). Stable: at most 1.
  double growth(std::complex<double> z);
  // The largest x with growth(-s) <= 1 for all s in (0, x]; infinity beyond 1e4.
  double real_limit();
  // The same along the imaginary axis.
  double imaginary_limit();
  // The same along any ray; |direction| = 1.
  double limit(std::complex<double> direction);
  // Growth at most 1 in all of the left half plane, as far as a grid of rays and sizes tells.
  bool a_stable();
  // And what is very fast is forgotten.
  bool l_stable();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace stiffit::internal
