// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/implicit_rk/theta_step.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

// Errors were like those of CVODES at the same tolerance with these (method_table_test).
constexpr double strictness_of_order[3] = {0, 0.02, 0.5};
// While there is no past: the part of h^2 y''/2 that is taken for the error of second order.
constexpr double share_at_start = 0.3;

}  // namespace

void RingingWatch::forget() {
  bend_.fill(0);
  bend_before_.fill(0);
}

const double* RingingWatch::note(double h, const double* slope, const double* slope_new) {
  for (std::size_t i = 0; i < bend_.size(); ++i) {
    const double bend = h * (slope_new[i] - slope[i]);
    const bool rings = bend * bend_[i] < 0 && bend_[i] * bend_before_[i] < 0;
    amplitude_[i] = rings ? bend / 4 : 0;
    bend_before_[i] = bend_[i];
    bend_[i] = bend;
  }
  return amplitude_.data();
}

ThetaStepper::ThetaStepper(LaneGroup& group, int order)
    : ImplicitStageStepper(group),
      order_(order),
      strictness_(strictness_of_order[order] *
                  strictness_for(group.options.rtol, order + 1, order)),
      past_(size()),
      base_(size()),
      difference_(size()),
      estimate_(size()) {}

void ThetaStepper::start(LaneMask lanes) {
  ImplicitStageStepper::start(lanes);
  past_.begin(group_.y.data());
}

bool ThetaStepper::step(double mu, double t, double h, const double* y, const double* slope,
                        double* y_new, double* slope_new) {
  for (std::size_t i = 0; i < size(); ++i) base_[i] = y[i] + h * mu * slope[i];
  if (!solve_stage(t + h, 1 / (h * (1 - mu)), base_.data(), strictness_, y_new)) return false;
  for (std::size_t i = 0; i < size(); ++i)
    slope_new[i] = ((y_new[i] - y[i]) / h - mu * slope[i]) / (1 - mu);
  return finite(slope_new);
}

void ThetaStepper::attempt(LaneMask) {
  LaneGroup& g = group_;
  mu_ = weight_of_old(g.h[0]);
  straight_ = false;
  guess();
  g.error[0] =
      step(mu_, g.t[0], g.h[0], g.y.data(), slope_.data(), g.y_new.data(), slope_new_.data())
          ? estimate()
          : NAN;
}

void ThetaStepper::guess() {
  double* guess = group_.y_new.data();
  const int points = std::min(past_.count(), order_ + 1);
  std::fill_n(guess, size(), 0.0);
  if (points > 1 && !fixed()) {
    past_.deviation(points, group_.h[0], guess, difference_.data());
    for (std::size_t i = 0; i < size(); ++i) guess[i] = -difference_[i];
  } else {
    std::copy_n(group_.y.data(), size(), guess);
  }
}

// The local error is (mu - 1/2) h^2 y'' - h^3 y'''/12 and more of fourth order.
double ThetaStepper::estimate() {
  const double h = group_.h[0];
  const double* y = group_.y_new.data();
  std::fill_n(estimate_.data(), size(), 0.0);
  if (past_.count() > 2) {
    const double by = 0.5 / past_.deviation(3, h, y, difference_.data());
    for (std::size_t i = 0; i < size(); ++i) estimate_[i] = by * difference_[i];
  }
  const double second = past_.count() > 2 ? 0.5 - mu_ : std::max(0.5 - mu_, share_at_start);
  if (second == 0) return strictness_ * norm(estimate_.data());
  double scale = 1;
  if (past_.count() > 1)
    scale = past_.deviation(2, h, y, difference_.data());
  else
    for (std::size_t i = 0; i < size(); ++i) difference_[i] = y[i] - group_.y[i] - h * slope_[i];
  for (std::size_t i = 0; i < size(); ++i) estimate_[i] += 2 * second / scale * difference_[i];
  return strictness_ * norm(estimate_.data());
}

// With mu = 1/2 the slope runs straight from one end to the other; with mu = 0 the value does.
void ThetaStepper::interpolate(int, double theta, double* out) {
  const LaneGroup& g = group_;
  const double bump = straight_ ? 0 : theta * (1 - theta) * g.h[0] * mu_;
  for (std::size_t i = 0; i < size(); ++i)
    out[i] = g.y[i] + theta * (g.y_new[i] - g.y[i]) + bump * (slope_[i] - slope_new_[i]);
}

void ThetaStepper::accept(LaneMask lanes) {
  ImplicitStageStepper::accept(lanes);
  past_.push(group_.h[0], group_.y.data());
}

}  // namespace stiffit::internal
