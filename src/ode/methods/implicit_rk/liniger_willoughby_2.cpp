// F2 of Liniger and Willoughby: y1 = y0 + (h/2)((1-a) f0 + (1+a) f1) - (h^2/4)((b+a) f1' - (b-a)
// f0') with f' = J f + df/dt, a and b fitted to one or two eigenvalues. W. Liniger, R.A.
// Willoughby, SIAM J. Numer. Anal. 7 (1970) 47. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "linear/complex_solver.h"
#include "ode/method_registry.h"
#include "ode/methods/fitted/fitting.h"

namespace stiffit::internal {
namespace {

constexpr double care = 0.2;
constexpr int most_iterations = 8;

class LinigerWilloughby2Stepper final : public OneLaneStepper {
 public:
  explicit LinigerWilloughby2Stepper(LaneGroup& group)
      : OneLaneStepper(group),
        solver_(make_complex_solver(program_.pattern, {})),
        eigenvalues_(group.options.eigenvalues, size()),
        strictness_(care * strictness_for(group.options.rtol, 4, 3)),
        past_(size()),
        second_(size()),
        second_new_(size()),
        drift_(size()),
        change_(size()),
        estimate_(size()),
        complex_(size()) {}

  void start(LaneMask lanes) override {
    OneLaneStepper::start(lanes);
    past_.begin(group_.y.data());
    eigenvalues_.forget();
    differentiate(group_.t[0], group_.y.data());
    derive(group_.t[0], group_.y.data(), slope_.data(), second_.data());
  }

  int control_order() const override { return 4; }

  void attempt(LaneMask) override {
    LaneGroup& g = group_;
    g.error[0] = NAN;
    if (eigenvalues_.stale()) {
      differentiate(g.t[0], g.y.data());
      eigenvalues_.estimate([&](const double* x, double* out) { multiply(x, out); });
    }
    pair_ = fitted_pair(eigenvalues_.times(g.h[0], 2));
    guess();
    failed_ = !solve();
    if (failed_ && fixed()) solve_from_shorter();
    if (!failed_) g.error[0] = estimate();
  }
  std::string trouble(int) const override { return failed_ ? newton_failed : ""; }

  // Quintic through both ends, their slopes and second derivatives would follow what Newton leaves;
  // the cubic is enough for the order.
  void interpolate(int, double theta, double* out) override { hermite(theta, out); }

  void accept(LaneMask lanes) override {
    OneLaneStepper::accept(lanes);
    second_.swap(second_new_);
    past_.push(group_.h[0], group_.y.data());
    eigenvalues_.note_step();
  }

 private:
  // f' along the solution, with the J of the last differentiate.
  void derive(double t, const double* y, const double* f, double* out) {
    find_drift(t, y, f, drift_.data());
    multiply(f, out);
    for (std::size_t i = 0; i < size(); ++i) out[i] += drift_[i];
  }

  void guess() {
    double* y = group_.y_new.data();
    const int points = std::min(past_.count(), 3);
    std::fill_n(y, size(), 0.0);
    if (points > 1 && !fixed()) {
      past_.deviation(points, group_.h[0], y, change_.data());
      for (std::size_t i = 0; i < size(); ++i) y[i] = -change_[i];
    } else {
      std::copy_n(group_.y.data(), size(), y);
    }
  }

  void solve_from_shorter() {
    LaneGroup& g = group_;
    const double h = g.h[0];
    AlignedArray kept(size());
    std::copy_n(g.y.data(), size(), g.y_new.data());
    failed_ = !solve_by_homotopy(
        [&](double share) {
          g.h[0] = share * h;
          return solve();
        },
        [&] { std::copy_n(g.y_new.data(), size(), kept.data()); },
        [&] { std::copy_n(kept.data(), size(), g.y_new.data()); });
    g.h[0] = h;
  }

  // Newton with D(hJ) = 1 - (1+a) hJ/2 + (b+a) (hJ)^2/4 = (b+a)/4 (r - hJ)(r* - hJ): one complex
  // LU.
  bool solve() {
    LaneGroup& g = group_;
    const double h = g.h[0], t = g.t[0] + h, a = pair_.a, b = pair_.b;
    const double half = (1 + a) / 2, top = (b + a) / 2;
    const std::complex<double> root(half / top, std::sqrt(2 * top - half * half) / top);
    const std::complex<double> d = root / h;
    const double allowed = std::max(fixed() ? 1e-6 : 0.02, 1e-15 * strictness_ / g.options.rtol);
    double before = INFINITY;
    for (int m = 0; m < (fixed() ? 3 : 1) * most_iterations; ++m) {
      evaluate(t, g.y_new.data(), slope_new_.data());
      if (!differentiate(t, g.y_new.data())) return false;
      derive(t, g.y_new.data(), slope_new_.data(), second_new_.data());
      if (m < 2) {
        ++g.counters[0].lu;
        if (!solver_->factor(d, jacobian_.data())) return false;
      }
      for (std::size_t i = 0; i < size(); ++i)
        complex_[i] = g.y[i] - g.y_new[i] +
                      h / 2 * ((1 - a) * slope_[i] + (1 + a) * slope_new_[i]) -
                      h * h / 4 * ((b + a) * second_new_[i] - (b - a) * second_[i]);
      solver_->solve(complex_.data());
      // Im (d - J)^-1 v = -Im d ((d - J)(d* - J))^-1 v.
      const double by = -1 / (d.imag() * h * h * top / 2);
      for (std::size_t i = 0; i < size(); ++i) {
        change_[i] = by * complex_[i].imag();
        g.y_new[i] += change_[i];
      }
      ++g.counters[0].newton;
      const double change = strictness_ * norm(change_.data());
      if (std::isnan(change) || (m > 2 && change > before && change > allowed)) return false;
      before = change;
      if (change <= allowed) return finish(t);
    }
    return false;
  }

  bool finish(double t) {
    evaluate(t, group_.y_new.data(), slope_new_.data());
    derive(t, group_.y_new.data(), slope_new_.data(), second_new_.data());
    return finite(slope_new_.data()) && finite(second_new_.data());
  }

  // Coefficients of z^3 and z^4 in R - e^z, times the derivatives from divided differences.
  double estimate() {
    const double a = pair_.a, b = pair_.b, h = group_.h[0];
    const double n1 = (1 - a) / 2, n2 = (b - a) / 4, d1 = -(1 + a) / 2, d2 = (b + a) / 4;
    double r[5] = {1, 0, 0, 0, 0};
    for (int k = 1; k < 5; ++k)
      r[k] = (k == 1 ? n1 : k == 2 ? n2 : 0) - d1 * r[k - 1] - (k > 1 ? d2 * r[k - 2] : 0);
    const double third = std::fabs(r[3] - 1.0 / 6);
    const double fourth = std::max(std::fabs(r[4] - 1.0 / 24), 1.0 / 720);
    const double* y = group_.y_new.data();
    std::fill_n(estimate_.data(), size(), 0.0);
    auto add = [&](int points, double coefficient) {
      double factorial = 1;
      for (int k = 2; k <= points; ++k) factorial *= k;
      const double by = coefficient * factorial / past_.deviation(points, h, y, change_.data());
      for (std::size_t i = 0; i < size(); ++i) estimate_[i] += std::fabs(by * change_[i]);
    };
    if (past_.count() > 3) {
      add(4, fourth);
      if (third > 1e-9) add(3, third);
    } else if (past_.count() > 2) {
      add(3, std::max(third, 0.02));
    } else {
      for (std::size_t i = 0; i < size(); ++i)
        estimate_[i] = 0.1 * (y[i] - group_.y[i] - h * (slope_[i] + slope_new_[i]) / 2);
    }
    return strictness_ * norm(estimate_.data());
  }

  std::unique_ptr<ComplexSolver> solver_;
  FittedEigenvalues eigenvalues_;
  FittedPair pair_;
  double strictness_;
  PastValues past_;
  AlignedArray second_, second_new_;  // f' at both ends
  AlignedArray drift_, change_, estimate_;
  std::vector<std::complex<double>> complex_;
  bool failed_ = false;  // Newton, in the last attempt
};

}  // namespace

std::unique_ptr<Stepper> make_liniger_willoughby_2(LaneGroup& group) {
  return std::make_unique<LinigerWilloughby2Stepper>(group);
}

}  // namespace stiffit::internal
