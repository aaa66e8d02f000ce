// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/stabilised/stabilised_step.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

constexpr int longest_use = 8;  // steps with one spectral radius
constexpr double care = 0.5;    // as for the trapezoidal rule

}  // namespace

StabilisedStepper::StabilisedStepper(LaneGroup& group)
    : OneLaneStepper(group),
      radius_of_(size()),
      strictness_(care * strictness_for(group.options.rtol, 3, 2)),
      estimate_(size()) {}

void StabilisedStepper::start(LaneMask lanes) {
  OneLaneStepper::start(lanes);
  age_ = longest_use;
}

void StabilisedStepper::find_radius() {
  differentiate(group_.t[0], group_.y.data());
  radius_ = radius_of_.of([&](const double* x, double* out) { multiply(x, out); });
  age_ = 0;
}

void StabilisedStepper::attempt(LaneMask) {
  LaneGroup& g = group_;
  if (age_ >= longest_use) find_radius();
  if (!fixed()) g.h[0] = std::min(g.h[0], longest() / std::max(radius_, 1e-300));
  const double h = g.h[0];
  run(stages_for(std::min(h * radius_, longest())));
  evaluate(g.t[0] + h, g.y_new.data(), slope_new_.data());
  // h^3 y'''/15: Sommeijer, Shampine, Verwer (1997).
  for (std::size_t i = 0; i < size(); ++i)
    estimate_[i] = 0.8 * (g.y[i] - g.y_new[i]) + 0.4 * h * (slope_[i] + slope_new_[i]);
  g.error[0] = finite(slope_new_.data()) ? strictness_ * norm(estimate_.data()) : NAN;
  if (!(g.error[0] <= 1)) age_ = longest_use;
}

void StabilisedStepper::accept(LaneMask lanes) {
  OneLaneStepper::accept(lanes);
  ++age_;
}

}  // namespace stiffit::internal
