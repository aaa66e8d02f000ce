// Explicit Runge-Kutta of order two whose stability polynomial 1 + z + z^2/2 + b_3 z^3 (+ b_4 z^4)
// is e^z at one or two given eigenvalues. P.J. van der Houwen, Report TW 122, Mathematisch Centrum
// (1970); Construction of Integration Formulas for Initial Value Problems (1977), 2.7.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ode/method_registry.h"
#include "ode/methods/fitted/fitted_explicit_step.h"

namespace stiffit::internal {
namespace {

class FittedRkStepper final : public FittedExplicitStepper {
 public:
  explicit FittedRkStepper(LaneGroup& group)
      : FittedExplicitStepper(group, 2, false), stage_(size()), f_(size()) {}

 private:
  // Each stage starts from y, with the share b_j/b_{j-1} of the slope before.
  void run(const FittedPoints& z) override {
    // At z: b_3 + b_4 z = phi_3(z).
    FittedPoints wanted;
    for (auto x : z) wanted.push_back(phi(3, x));
    std::vector<double> b{1, 1, 0.5};
    for (double c : fitted_powers(z, wanted, 0)) b.push_back(c);
    const double h = group_.h[0];
    const double* f = slope_.data();
    for (std::size_t j = b.size() - 1; j > 0; --j) {
      const double share = b[j] / b[j - 1];
      double* out = j == 1 ? group_.y_new.data() : stage_.data();
      for (std::size_t i = 0; i < size(); ++i) out[i] = group_.y[i] + share * h * f[i];
      if (j == 1) break;
      evaluate(group_.t[0] + share * h, stage_.data(), f_.data());
      f = f_.data();
    }
  }

  AlignedArray stage_, f_;
};

}  // namespace

std::unique_ptr<Stepper> make_fitted_rk(LaneGroup& group) {
  return std::make_unique<FittedRkStepper>(group);
}

}  // namespace stiffit::internal
