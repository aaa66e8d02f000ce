// Explicit, exponentially fitted to the dominant real eigenvalue, which it estimates by itself, in
// the manner of M.E. Fowler and R.M. Warten, IBM J. Res. Develop. 11 (1967) 537: the solution is
// taken as a smooth part and one fast exponential. With f' = J f + df/dt, the fast part of f' is
// g = J f'/lambda, and y1 = y0 + h f + (h^2/2)(f' - g) + h^2 phi_2(h lambda) g
//                       = y0 + h f + (h^2/2) f' + h^3 phi_3(h lambda) J f'.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ode/method_registry.h"
#include "ode/methods/fitted/fitted_explicit_step.h"

namespace stiffit::internal {
namespace {

class FowlerWartenStepper final : public FittedExplicitStepper {
 public:
  explicit FowlerWartenStepper(LaneGroup& group)
      : FittedExplicitStepper(group, 1, true), drift_(size()), second_(size()), fast_(size()) {}

 private:
  void run(const FittedPoints& z) override {
    LaneGroup& g = group_;
    const double h = g.h[0];
    multiply(slope_.data(), second_.data());
    find_drift(g.t[0], g.y.data(), slope_.data(), drift_.data());
    for (std::size_t i = 0; i < size(); ++i) second_[i] += drift_[i];
    multiply(second_.data(), fast_.data());
    // (phi_2 - 1/2)/z = phi_3: no division where lambda is small.
    const double share = h * phi(3, z[0].real());
    for (std::size_t i = 0; i < size(); ++i)
      g.y_new[i] = g.y[i] + h * (slope_[i] + h * (0.5 * second_[i] + share * fast_[i]));
  }

  AlignedArray drift_, second_, fast_;
};

}  // namespace

std::unique_ptr<Stepper> make_fowler_warten(LaneGroup& group) {
  return std::make_unique<FowlerWartenStepper>(group);
}

}  // namespace stiffit::internal
