// SPDX-License-Identifier: Apache-2.0
#include "integrate/implicit_stage.h"

#include <algorithm>
#include <cmath>

namespace stiffit {
namespace {

constexpr int most_iterations = 6, longest_use = 20;
constexpr double newton_share = 0.02;     // of the tolerance that Newton may leave
constexpr double fixed_share = 1e-6;      // with fixed steps the tolerance says nothing
constexpr double most_drift = 0.2;        // of d that the matrix bears
constexpr double slow_convergence = 0.1;  // a rate that asks for a new Jacobian

}  // namespace

ImplicitStageStepper::ImplicitStageStepper(LaneGroup& group)
    : OneLaneStepper(group),
      solver_(group.problem.linear->make_solver()),
      change_(size()),
      f_(size()),
      guess_(size()) {}

void ImplicitStageStepper::start(LaneMask lanes) {
  OneLaneStepper::start(lanes);
  wants_jacobian_ = true;
}

bool ImplicitStageStepper::factor(double d) {
  ++group_.counters[0].lu;
  factored_ = 0;
  if (solver_->factor(&d, jacobian_.data())) return false;
  factored_ = d;
  return true;
}

bool ImplicitStageStepper::solve_stage(double t, double d, const double* base, double strictness,
                                       double* y) {
  std::copy_n(y, size(), guess_.data());
  bool fresh = false;
  for (;;) {
    if (wants_jacobian_ || fresh || ++jacobian_age_ > longest_use) {
      differentiate(t, guess_.data());
      wants_jacobian_ = false;
      jacobian_age_ = 0;
      factored_ = 0;
      fresh = true;
    }
    const bool usable = factored_ != 0 && std::fabs(d / factored_ - 1) < most_drift;
    if (!usable && !factor(d)) return false;
    if (iterate(t, d, base, strictness, y)) {
      wants_jacobian_ = rate_ > slow_convergence;
      return true;
    }
    if (fresh && factored_ == d) {
      wants_jacobian_ = true;
      return false;
    }
    std::copy_n(guess_.data(), size(), y);
    wants_jacobian_ = true;
  }
}

bool ImplicitStageStepper::iterate(double t, double d, const double* base, double strictness,
                                   double* y) {
  // A matrix made for another d takes too much in the slow components or too little in the fast.
  const double ratio = factored_ / d, factor = 2 * ratio / (1 + ratio);
  const double share = fixed() ? fixed_share : newton_share;
  const double rounding = 1e-15 * strictness / group_.options.rtol;
  const double allowed = std::max(share, rounding);
  const int limit = fixed() ? 3 * most_iterations : most_iterations;
  double before = 0;
  rate_ = 0;
  for (int m = 1; m <= limit; ++m) {
    evaluate(t, y, f_.data());
    for (std::size_t i = 0; i < size(); ++i) {
      const double mass = program_.mass.empty() ? 1 : program_.mass[i];
      change_[i] = f_[i] - mass * d * (y[i] - base[i]);
    }
    solver_->solve(change_.data());
    for (std::size_t i = 0; i < size(); ++i) y[i] += factor * change_[i];
    ++group_.counters[0].newton;
    const double size_of_change = strictness * norm(change_.data());
    if (std::isnan(size_of_change)) return false;
    // The first change says nothing of the rate: it must be small by itself.
    double rest = size_of_change;
    if (m > 1) {
      rate_ = size_of_change / before;
      if (rate_ > 0.9 && size_of_change > rounding) return false;
      rest *= std::min(1.0, rate_ / (1 - std::min(rate_, 0.9)));
    }
    if (rest <= allowed) return true;
    before = size_of_change;
  }
  return false;
}

}  // namespace stiffit
