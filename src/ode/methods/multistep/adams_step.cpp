// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/multistep/adams_step.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stiffit::internal {
namespace {

// Errors add up over a run; with this they are like those of CVODES (method_table_test).
constexpr double strictness = 5, strictness_explicit = 25;
constexpr double target = 0.5;           // share of the tolerance that the next step aims at
constexpr double worth_changing = 1.25;  // growth of the step

// Gauss-Legendre with seven points: exact for every polynomial of degree 13.
constexpr double gauss_node[7] = {
    -0.94910791234275852453, -0.74153118559939443986, -0.40584515137739716691, 0,
    0.40584515137739716691,  0.74153118559939443986,  0.94910791234275852453};
constexpr double gauss_weight[7] = {
    0.12948496616886969327, 0.27970539148927666790, 0.38183005050511894495, 0.41795918367346938776,
    0.38183005050511894495, 0.27970539148927666790, 0.12948496616886969327};

}  // namespace

AdamsStepper::AdamsStepper(LaneGroup& group, Kind kind)
    : OneLaneStepper(group), kind_(kind), f_(size()), top_(size()), work_(size()) {
  // Corrected, the result has one order more than the predictor.
  max_order_ = largest_order(group.options);
  if (kind_ == Kind::corrected) max_order_ = std::max(1, max_order_ - 1);
  for (auto& a : phi_) a = AlignedArray(size());
  for (auto& a : star_) a = AlignedArray(size());
}

int AdamsStepper::largest_order(const IntegrationOptions& options) {
  return std::clamp(options.max_order > 0 ? options.max_order : largest, 1, largest);
}

// Between even steps the differences are the ordinary backward ones.
void AdamsStepper::take_past(int, double h, const std::vector<std::vector<double>>&,
                             const std::vector<std::vector<double>>& slope) {
  std::copy_n(slope[0].data(), size(), slope_.data());
  for (std::size_t i = 0; i < size(); ++i) {
    double column[largest + 1] = {};
    for (std::size_t k = 0; k < slope.size(); ++k) column[k] = slope[k][i];
    for (std::size_t j = 0; j < slope.size(); ++j) {
      phi_[j][i] = column[0];
      for (std::size_t k = 0; k + 1 < slope.size() - j; ++k) column[k] -= column[k + 1];
    }
  }
  std::fill(std::begin(past_), std::end(past_), h);
  known_ = k_ = max_order_;
}

void AdamsStepper::start(LaneMask lanes) {
  OneLaneStepper::start(lanes);
  begin_again();
  starting_ = true;
}

void AdamsStepper::begin_again() {
  std::copy_n(slope_.data(), size(), phi_[0].data());
  known_ = 1;
  k_ = 1;
  failures_ = 0;
}

// (5.9), (5.10) and the recursion for g_j.
void AdamsStepper::find_coefficients() {
  const double h = group_.h[0];
  behind_[0] = 0;
  ahead_[0] = h;
  for (int j = 1; j <= k_ + 1; ++j) {
    behind_[j] = behind_[j - 1] + past_[j - 1];
    ahead_[j] = behind_[j] + h;
  }
  double c[largest + 4];
  for (int q = 1; q <= k_ + 2; ++q) c[q] = 1.0 / q;
  g_[0] = 1;
  for (int j = 1; j <= k_ + 1; ++j) {
    for (int q = 1; q <= k_ + 2 - j; ++q) c[q] -= c[q + 1] * h / ahead_[j - 1];
    g_[j] = c[1];
  }
  double beta = 1;
  for (int j = 0; j < std::min(known_, k_ + 1); ++j) {
    if (j > 0) beta *= ahead_[j - 1] / behind_[j];
    for (std::size_t i = 0; i < size(); ++i) star_[j][i] = beta * phi_[j][i];
  }
}

double AdamsStepper::local_error(int j, const double* difference) const {
  const double factor =
      kind_ == Kind::corrected ? strictness * (g_[j] - g_[j - 1]) : strictness_explicit * g_[j];
  return group_.h[0] * std::fabs(factor) * norm(difference);
}

void AdamsStepper::attempt(LaneMask) {
  LaneGroup& g = group_;
  const double h = g.h[0];
  find_coefficients();
  for (std::size_t i = 0; i < size(); ++i) {
    double sum = 0, newest = 0;
    for (int j = k_ - 1; j >= 0; --j) {
      sum += g_[j] * star_[j][i];
      newest += star_[j][i];
    }
    g.y_new[i] = g.y[i] + h * sum;
    top_[i] = -newest;
  }
  evaluate(g.t[0] + h, g.y_new.data(), f_.data());
  for (std::size_t i = 0; i < size(); ++i) top_[i] += f_[i];
  if (kind_ == Kind::corrected)
    for (std::size_t i = 0; i < size(); ++i) g.y_new[i] += h * g_[k_] * top_[i];
  g.error[0] = finite(f_.data()) ? local_error(k_, top_.data()) : NAN;
  if (!(g.error[0] <= 1) && !fixed()) return;
  if (kind_ == Kind::corrected)
    evaluate(g.t[0] + h, g.y_new.data(), slope_new_.data());
  else
    std::copy_n(f_.data(), size(), slope_new_.data());
  if (!finite(slope_new_.data())) g.error[0] = NAN;
}

// The integral of the polynomial through the slopes, from the start of the step to theta.
void AdamsStepper::interpolate(int, double theta, double* out) {
  const double h = group_.h[0];
  double integral[largest + 2] = {};
  for (int m = 0; m < 7; ++m) {
    const double s = theta * (gauss_node[m] + 1) / 2;
    double product = theta * gauss_weight[m] / 2;
    for (int j = 0; j <= k_; ++j) {
      integral[j] += product;
      product *= (s * h + behind_[j]) / ahead_[j];
    }
  }
  const bool corrected = kind_ == Kind::corrected;
  for (std::size_t i = 0; i < size(); ++i) {
    double sum = corrected ? integral[k_] * top_[i] : 0;
    for (int j = k_ - 1; j >= 0; --j) sum += integral[j] * star_[j][i];
    out[i] = group_.y[i] + h * sum;
  }
}

void AdamsStepper::accept(LaneMask lanes) {
  const int wanted = fixed() ? std::min(k_ + 1, max_order_) : better_order();
  OneLaneStepper::accept(lanes);
  const int differences = std::min(known_, k_ + 1);
  std::copy_n(slope_.data(), size(), phi_[0].data());
  for (int j = 0; j < differences; ++j)
    for (std::size_t i = 0; i < size(); ++i) phi_[j + 1][i] = phi_[j][i] - star_[j][i];
  known_ = differences + 1;
  for (int j = largest + 1; j > 0; --j) past_[j] = past_[j - 1];
  past_[0] = group_.h[0];
  k_ = std::min(wanted, known_);
}

// The neighbouring order with the smaller local error; while starting, one more at each step.
// Called before the differences move on.
int AdamsStepper::better_order() {
  const double own = group_.error[0];
  double lower = INFINITY;
  if (k_ > 1) {
    for (std::size_t i = 0; i < size(); ++i) work_[i] = top_[i] + star_[k_ - 1][i];
    lower = local_error(k_ - 1, work_.data());
    if (k_ > 2) {
      for (std::size_t i = 0; i < size(); ++i) work_[i] += star_[k_ - 2][i];
      lower = std::max(lower, local_error(k_ - 2, work_.data()));
    }
  }
  if (lower <= own) {
    starting_ = false;
    return k_ - 1;
  }
  if (k_ >= max_order_) {
    starting_ = false;
    return k_;
  }
  if (starting_) return k_ + 1;
  if (known_ > k_) {
    for (std::size_t i = 0; i < size(); ++i) work_[i] = top_[i] - star_[k_][i];
    if (local_error(k_ + 1, work_.data()) < own) return k_ + 1;
  }
  return k_;
}

double AdamsStepper::next_step(int, bool accepted) {
  const double h = group_.h[0], error = group_.error[0];
  if (fixed()) return h;
  if (accepted) {
    failures_ = 0;
    const double growth = std::pow(target / std::max(error, 1e-10), 1.0 / (k_ + 1));
    if (starting_) return 2 * h;
    if (growth >= worth_changing) return std::min(2.0, growth) * h;
    return growth >= 1 ? h : std::clamp(growth, 0.5, 0.95) * h;
  }
  starting_ = false;
  if (++failures_ >= 3) {
    begin_again();
    return 0.25 * h;
  }
  if (std::isnan(error)) return 0.25 * h;
  return std::clamp(std::pow(target / error, 1.0 / (k_ + 1)), 0.2, 0.8) * h;
}

}  // namespace stiffit::internal
