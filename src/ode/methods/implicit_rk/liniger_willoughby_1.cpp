// F1 of Liniger and Willoughby: y1 = y0 + h (mu f0 + (1 - mu) f1), mu fitted to an eigenvalue.
// W. Liniger, R.A. Willoughby, SIAM J. Numer. Anal. 7 (1970) 47.
// SPDX-License-Identifier: Apache-2.0
#include "ode/method_registry.h"
#include "ode/methods/fitted/fitting.h"
#include "ode/methods/implicit_rk/theta_step.h"

namespace stiffit::internal {
namespace {

class LinigerWilloughby1Stepper final : public ThetaStepper {
 public:
  explicit LinigerWilloughby1Stepper(LaneGroup& group)
      : ThetaStepper(group, 1), eigenvalues_(group.options.eigenvalues, size()) {}

  void start(LaneMask lanes) override {
    ThetaStepper::start(lanes);
    eigenvalues_.forget();
  }
  void accept(LaneMask lanes) override {
    ThetaStepper::accept(lanes);
    eigenvalues_.note_step();
  }

 private:
  double weight_of_old(double h) override {
    if (eigenvalues_.stale()) {
      differentiate(group_.t[0], group_.y.data());
      eigenvalues_.estimate([&](const double* x, double* out) { multiply(x, out); });
    }
    return fitted_mu(eigenvalues_.times(h, 1).front().real());
  }

  FittedEigenvalues eigenvalues_;
};

}  // namespace

std::unique_ptr<Stepper> make_liniger_willoughby_1(LaneGroup& group) {
  return std::make_unique<LinigerWilloughby1Stepper>(group);
}

}  // namespace stiffit::internal
