// The trapezoidal rule with smoothing and global extrapolation: one run with steps h, one with
// steps h/2, each from its own values; (4 fine - coarse)/3 is the result and never goes back in.
// B. Lindberg, BIT 11 (1971) 29.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "ode/driver/implicit_stage.h"
#include "ode/method_registry.h"
#include "ode/methods/implicit_rk/theta_step.h"

namespace stiffit::internal {
namespace {

class ExtrapolatedTrapezoidalStepper final : public ImplicitStageStepper {
 public:
  explicit ExtrapolatedTrapezoidalStepper(LaneGroup& group)
      : ImplicitStageStepper(group),
        coarse_(size()),
        fine_(size()),
        middle_(size()),
        beyond_(size()),
        coarse_new_(size()),
        fine_new_(size()),
        base_(size()) {}

  void start(LaneMask lanes) override {
    ImplicitStageStepper::start(lanes);
    for (StepEnd* end : {&coarse_, &fine_}) {
      std::copy_n(group_.y.data(), size(), end->y.data());
      std::copy_n(slope_.data(), size(), end->slope.data());
    }
    smooth_next_ = true;
  }

  int control_order() const override { return 4; }

  void attempt(LaneMask) override {
    LaneGroup& g = group_;
    const double t = g.t[0], h = g.h[0];
    g.error[0] = NAN;
    // Newton's method is judged by the size of the states, which may be zero at the start.
    for (std::size_t i = 0; i < size(); ++i) g.y_new[i] = g.y[i] + h * slope_[i];
    if (!step(t, h / 2, fine_, middle_) || !step(t + h / 2, h / 2, middle_, fine_new_)) return;
    if (!step(t, h, coarse_, coarse_new_)) return;
    if (smooth_next_ &&
        (!smooth(t + h, h, coarse_, coarse_new_) || !smooth(t + h, h / 2, middle_, fine_new_)))
      return;
    for (std::size_t i = 0; i < size(); ++i) {
      g.y_new[i] = (4 * fine_new_.y[i] - coarse_new_.y[i]) / 3;
      slope_new_[i] = (4 * fine_new_.slope[i] - coarse_new_.slope[i]) / 3;
    }
    g.error[0] = 0;
  }

  void interpolate(int, double theta, double* out) override { hermite(theta, out); }

  void accept(LaneMask lanes) override {
    ImplicitStageStepper::accept(lanes);
    smooth_next_ = false;  // fixed steps: see trapezoidal.cpp
    coarse_.swap(coarse_new_);
    fine_.swap(fine_new_);
  }

 private:
  bool step(double t, double h, const StepEnd& from, StepEnd& to) {
    for (std::size_t i = 0; i < size(); ++i) {
      base_[i] = from.y[i] + h / 2 * from.slope[i];
      to.y[i] = from.y[i];
    }
    if (!solve_stage(t + h, 2 / h, base_.data(), 1, to.y.data())) return false;
    for (std::size_t i = 0; i < size(); ++i)
      to.slope[i] = 2 * (to.y[i] - from.y[i]) / h - from.slope[i];
    return finite(to.slope.data());
  }

  bool smooth(double t, double h, const StepEnd& before, StepEnd& here) {
    if (!step(t, h, here, beyond_)) return false;
    for (std::size_t i = 0; i < size(); ++i)
      here.y[i] = (before.y[i] + 2 * here.y[i] + beyond_.y[i]) / 4;
    evaluate(t, here.y.data(), here.slope.data());
    return finite(here.slope.data());
  }

  StepEnd coarse_, fine_, middle_, beyond_, coarse_new_, fine_new_;
  AlignedArray base_;
  bool smooth_next_ = true;
};

}  // namespace

std::unique_ptr<Stepper> make_trapezoidal_extrapolated(LaneGroup& group) {
  return std::make_unique<ExtrapolatedTrapezoidalStepper>(group);
}

}  // namespace stiffit::internal
