// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/implicit_rk/dirk_step.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

// So many steps ahead the polynomial of the step before is a better guess than the state itself.
constexpr double farthest_guess = 1.5;
constexpr int rounds_of_mending = 2;

}  // namespace

DirkStepper::DirkStepper(LaneGroup& group, const DirkTableau& tableau)
    : ImplicitStageStepper(group),
      tableau_(tableau),
      stride_(AlignedArray::padded(size())),
      slopes_(static_cast<std::size_t>(tableau.stages) * stride_),
      last_slopes_(slopes_.size()),
      last_state_(size()),
      base_(size()),
      stage_(size()),
      estimate_(size()),
      slow_(size()) {}

void DirkStepper::start(LaneMask lanes) {
  ImplicitStageStepper::start(lanes);
  strictness_ = tableau_.strictness(group_.options.rtol);
  last_step_ = 0;
}

void DirkStepper::attempt(LaneMask) {
  LaneGroup& g = group_;
  std::copy_n(slope_.data(), size(), k(0));
  std::copy_n(g.y.data(), size(), g.y_new.data());
  g.error[0] = NAN;
  for (int i = 1; i < tableau_.stages; ++i)
    if (!run_stage(i)) return;
  std::copy_n(stage_.data(), size(), g.y_new.data());
  std::copy_n(k(tableau_.stages - 1), size(), slope_new_.data());
  g.error[0] = estimate();
}

bool DirkStepper::run_stage(int i) {
  const LaneGroup& g = group_;
  const double h = g.h[0], inverse = 1 / (h * tableau_.gamma);
  std::copy_n(g.y.data(), size(), base_.data());
  for (int j = 0; j < i; ++j) {
    const double weight = h * tableau_.a[i][j];
    const double* slope = k(j);
    for (std::size_t m = 0; m < size(); ++m) base_[m] += weight * slope[m];
  }
  guess(i, stage_.data());
  if (!solve_stage(g.t[0] + tableau_.node[i] * h, inverse, base_.data(), strictness_,
                   stage_.data()))
    return false;
  // As the formula has it: f itself would magnify what Newton has left by the largest eigenvalue.
  double* out = k(i);
  for (std::size_t m = 0; m < size(); ++m) out[m] = (stage_[m] - base_[m]) * inverse;
  return finite(out);
}

// Where the step before would go on to; without one, where the stage before is.
void DirkStepper::guess(int i, double* y) const {
  const double ahead = last_step_ > 0 ? tableau_.node[i] * group_.h[0] / last_step_ : INFINITY;
  if (ahead <= farthest_guess && !fixed())
    dense(last_state_.data(), last_slopes_.data(), last_step_, 1 + ahead, y);
  else if (i == 1)
    std::copy_n(group_.y.data(), size(), y);
}

// The difference of both results, less what an explicit first stage makes of fast components.
double DirkStepper::estimate() {
  std::fill_n(estimate_.data(), size(), 0.0);
  for (int i = 0; i < tableau_.stages; ++i) {
    const double weight = tableau_.error(i) / tableau_.gamma;
    const double* slope = k(i);
    for (std::size_t m = 0; m < size(); ++m) estimate_[m] += weight * slope[m];
  }
  solve_linear(estimate_.data());  // times (1/(h gamma) - J)^-1, which is h gamma where it is slow
  return strictness_ * norm(estimate_.data());
}

void DirkStepper::dense(const double* y, const double* slopes, double h, double theta,
                        double* out) const {
  std::copy_n(y, size(), out);
  for (int i = 0; i < tableau_.stages; ++i) {
    const double weight = h * tableau_.share(i, theta);
    const double* slope = slopes + static_cast<std::size_t>(i) * stride_;
    for (std::size_t m = 0; m < size(); ++m) out[m] += weight * slope[m];
  }
}

void DirkStepper::interpolate(int, double theta, double* out) {
  dense(group_.y.data(), slopes_.data(), group_.h[0], theta, out);
}

void DirkStepper::row(int lane, double theta, double* out) {
  interpolate(lane, theta, out);
  if (group_.inputs || factored() == 0) return;
  double *change = estimate_.data(), *slow = slow_.data();
  for (int round = 0; round < rounds_of_mending; ++round) {
    evaluate(group_.t[0] + theta * group_.h[0], out, change);
    for (int i = 0; i < tableau_.stages; ++i) {
      const double weight = tableau_.share_of_slope(i, theta);
      const double* slope = k(i);
      for (std::size_t m = 0; m < size(); ++m) change[m] -= weight * slope[m];
    }
    if (!finite(change)) return;
    solve_linear(change);
    for (std::size_t m = 0; m < size(); ++m) slow[m] = factored() * change[m];
    solve_linear(slow);
    for (std::size_t m = 0; m < size(); ++m) out[m] += change[m] - slow[m];
  }
}

void DirkStepper::accept(LaneMask lanes) {
  std::copy_n(group_.y.data(), size(), last_state_.data());
  last_step_ = group_.h[0];
  last_slopes_.swap(slopes_);
  ImplicitStageStepper::accept(lanes);
}

}  // namespace stiffit::internal
