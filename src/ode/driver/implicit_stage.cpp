// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/implicit_stage.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
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
      guess_(size()),
      kept_(size()) {}

void ImplicitStageStepper::start(LaneMask lanes) {
  OneLaneStepper::start(lanes);
  wants_jacobian_ = true;
  failed_ = false;
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
  failed_ = !solve_once(t, d, base, strictness, y);
  if (!failed_ || !fixed()) return !failed_;
  std::copy_n(base, size(), y);  // the solution where d is infinite
  failed_ = !solve_by_homotopy(
      [&](double share) {
        wants_jacobian_ = true;  // that of the solution before
        return solve_once(t, d / share, base, strictness, y);
      },
      [&] { std::copy_n(y, size(), kept_.data()); }, [&] { std::copy_n(kept_.data(), size(), y); });
  return !failed_;
}

bool ImplicitStageStepper::solve_once(double t, double d, const double* base, double strictness,
                                      double* y) {
  std::copy_n(y, size(), guess_.data());
  bool fresh = false;
  for (;;) {
    if (wants_jacobian_ || fresh || ++jacobian_age_ > longest_use) {
      const bool sound = differentiate(t, guess_.data());
      wants_jacobian_ = !sound;
      jacobian_age_ = 0;
      factored_ = 0;
      fresh = true;
      if (!sound) return false;
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

// The change in units of the tolerance, which a state that is zero at both ends of the step has
// from where it stands in this stage.
double ImplicitStageStepper::norm_at(const double* y) const {
  const LaneGroup& g = group_;
  const double floor = g.relative_floor(), absolute = g.absolute(0), rtol = g.options.rtol;
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double top = std::max({std::fabs(g.y[i]), std::fabs(g.y_new[i]), std::fabs(y[i])});
    const double ratio = change_[i] / (rtol * (top + floor * g.largest[i]) + absolute);
    sum += ratio * ratio;
  }
  return n_ ? std::sqrt(sum / n_) : 0;
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
    const double size_of_change = strictness * norm_at(y);
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

}  // namespace stiffit::internal
