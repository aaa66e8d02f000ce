// Semi-implicit Runge-Kutta of order two, fitted to up to three clusters of eigenvalues. With
// W = (I - gamma h J)^-1, u_1 = W h f and u_{j+1} = W h J u_j = (W u_j - u_j)/gamma:
//   y1 = y0 + u_1 + (1/2 - gamma) u_2 + c_3 u_3 + ...,  R(z) = 1 + w + (1/2 - gamma) w^2 + c_3 w^3
//   + ...
// with w = z/(1 - gamma z). gamma = 1 - 1/sqrt 2 makes it L-stable with all c_j zero; they are
// chosen so that R(z) = e^z at the given z, and vanish where these are far out. In the manner of
// P.J. van der Houwen, Report TW 132, Mathematisch Centrum (1972). SPDX-License-Identifier:
// Apache-2.0
#include <cmath>

#include "ode/method_registry.h"
#include "ode/methods/fitted/fitting.h"

namespace stiffit::internal {
namespace {

const double gamma = 1 - std::sqrt(0.5);
constexpr std::size_t most_clusters = 3;

class FittedRosenbrockStepper final : public OneLaneStepper {
 public:
  explicit FittedRosenbrockStepper(LaneGroup& group)
      : OneLaneStepper(group),
        solver_(group.problem.linear->make_solver()),
        eigenvalues_(group.options.eigenvalues, size()),
        strictness_(fitted_care * strictness_for(group.options.rtol, 3, 2)),
        drift_(size()),
        work_(size()) {
    for (auto& u : u_) u = AlignedArray(size());
  }

  void start(LaneMask lanes) override {
    OneLaneStepper::start(lanes);
    jacobian_known_ = false;
    eigenvalues_.forget();
  }

  int control_order() const override { return 3; }

  void attempt(LaneMask) override {
    LaneGroup& g = group_;
    const double h = g.h[0], d = 1 / (gamma * h);
    g.error[0] = NAN;
    if (!jacobian_known_) {
      if (!differentiate(g.t[0], g.y.data())) return;
      find_drift(g.t[0], g.y.data(), slope_.data(), drift_.data());
      jacobian_known_ = true;
    }
    if (eigenvalues_.stale())
      eigenvalues_.estimate([&](const double* x, double* out) { multiply(x, out); });
    ++g.counters[0].lu;
    if (solver_->factor(&d, jacobian_.data())) return;
    fit(eigenvalues_.times(h, most_clusters));
    find_terms(h, d);
    for (std::size_t i = 0; i < size(); ++i) {
      double sum = 0;
      for (std::size_t j = c_.size(); j-- > 0;) sum += c_[j] * u_[j][i];
      g.y_new[i] = g.y[i] + sum;
    }
    evaluate(g.t[0] + h, g.y_new.data(), slope_new_.data());
    for (std::size_t i = 0; i < size(); ++i)
      work_[i] = d * (0.5 * h * (slope_[i] + slope_new_[i]) - (g.y_new[i] - g.y[i]));
    solver_->solve(work_.data());
    if (finite(slope_new_.data())) g.error[0] = strictness_ * norm(work_.data());
  }

  void interpolate(int, double theta, double* out) override {
    double c[2 + most_clusters];
    c[0] = theta;
    c[1] = theta * (theta / 2 - gamma);
    for (std::size_t j = 2; j < c_.size(); ++j) c[j] = c_[j] * theta * theta * theta;
    for (std::size_t i = 0; i < size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < c_.size(); ++j) sum += c[j] * u_[j][i];
      out[i] = group_.y[i] + sum;
    }
  }

  void accept(LaneMask lanes) override {
    OneLaneStepper::accept(lanes);
    jacobian_known_ = false;
    eigenvalues_.note_step();
  }

 private:
  void fit(const FittedPoints& z) {
    c_ = {1, 0.5 - gamma};
    FittedPoints w, wanted;
    for (auto x : z) {
      const auto here = x / (1.0 - gamma * x);
      // Far out all w are the same, and R is zero there by itself.
      if (x.real() > -1e-2 && std::abs(x) < 0.1) continue;
      if (!w.empty() && std::abs(here - w.back()) < 0.1 * std::abs(w.back())) continue;
      w.push_back(here);
      wanted.push_back(std::exp(x) - 1.0 - here - c_[1] * here * here);
    }
    if (w.empty()) {
      // What the fit tends to as z does to zero: order three on linear problems, but not L-stable.
      if (eigenvalues_.all_slow(group_.h[0])) c_.push_back(1.0 / 6 - gamma * (gamma + 2 * c_[1]));
      return;
    }
    for (double c : fitted_powers(w, wanted, 3)) c_.push_back(c);
  }

  // Time is one more state: its own entry of u_1 is h, of the others zero.
  void find_terms(double h, double d) {
    for (std::size_t i = 0; i < size(); ++i) u_[0][i] = d * h * (slope_[i] + gamma * h * drift_[i]);
    solver_->solve(u_[0].data());
    for (std::size_t j = 1; j < c_.size(); ++j) {
      for (std::size_t i = 0; i < size(); ++i)
        u_[j][i] = d * (u_[j - 1][i] + (j == 1 ? gamma * h * h * drift_[i] : 0));
      solver_->solve(u_[j].data());
      for (std::size_t i = 0; i < size(); ++i) u_[j][i] = (u_[j][i] - u_[j - 1][i]) / gamma;
    }
  }

  std::unique_ptr<LinearSolver> solver_;
  FittedEigenvalues eigenvalues_;
  double strictness_;
  AlignedArray drift_, work_;
  AlignedArray u_[2 + most_clusters];
  std::vector<double> c_;
  bool jacobian_known_ = false;
};

}  // namespace

std::unique_ptr<Stepper> make_fitted_rosenbrock(LaneGroup& group) {
  return std::make_unique<FittedRosenbrockStepper>(group);
}

}  // namespace stiffit::internal
