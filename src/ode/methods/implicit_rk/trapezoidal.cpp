// The trapezoidal rule, plain and with Lindberg's smoothing.
// B. Lindberg, BIT 11 (1971) 29.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ode/method_registry.h"
#include "ode/methods/implicit_rk/theta_step.h"

namespace stiffit::internal {
namespace {

class TrapezoidalStepper : public ThetaStepper {
 public:
  explicit TrapezoidalStepper(LaneGroup& group) : ThetaStepper(group, 2) {}

 private:
  double weight_of_old(double) override { return 0.5; }
};

// Fast components do not decay but change sign from step to step. On the first step, and where that
// is seen, y1 becomes (y0 + 2 y1 + y2)/4 and the integration goes on from there. With a fixed step
// it is the first alone: Hemker's "for some p", and no tolerance has a say.
class SmoothedTrapezoidalStepper final : public TrapezoidalStepper {
 public:
  explicit SmoothedTrapezoidalStepper(LaneGroup& group)
      : TrapezoidalStepper(group), beyond_(size()), ringing_(size()) {}

  void start(LaneMask lanes) override {
    TrapezoidalStepper::start(lanes);
    smooth_next_ = true;
    ringing_.forget();
  }

  void attempt(LaneMask lanes) override {
    TrapezoidalStepper::attempt(lanes);
    smoothed_ = smooth_next_ && !std::isnan(group_.error[0]);
    if (smoothed_) smooth();
  }

  void accept(LaneMask lanes) override {
    watch();
    TrapezoidalStepper::accept(lanes);
  }

 private:
  void smooth() {
    LaneGroup& g = group_;
    const double t = g.t[0] + g.h[0];
    for (std::size_t i = 0; i < size(); ++i) beyond_.y[i] = g.y_new[i];
    if (!step(0.5, t, g.h[0], g.y_new.data(), slope_new_.data(), beyond_.y.data(),
              beyond_.slope.data())) {
      g.error[0] = NAN;
      return;
    }
    for (std::size_t i = 0; i < size(); ++i)
      g.y_new[i] = (g.y[i] + 2 * g.y_new[i] + beyond_.y[i]) / 4;
    evaluate(t, g.y_new.data(), slope_new_.data());
    if (!finite(slope_new_.data())) g.error[0] = NAN;
    straight_ = true;
  }

  void watch() {
    smooth_next_ = false;
    if (fixed()) return;
    if (smoothed_)
      ringing_.forget();
    else
      smooth_next_ = norm(ringing_.note(group_.h[0], slope_.data(), slope_new_.data())) > 1;
  }

  StepEnd beyond_;
  RingingWatch ringing_;
  bool smooth_next_ = true, smoothed_ = false;
};

}  // namespace

std::unique_ptr<Stepper> make_trapezoidal(LaneGroup& group) {
  return std::make_unique<TrapezoidalStepper>(group);
}
std::unique_ptr<Stepper> make_trapezoidal_smoothed(LaneGroup& group) {
  return std::make_unique<SmoothedTrapezoidalStepper>(group);
}

}  // namespace stiffit::internal
