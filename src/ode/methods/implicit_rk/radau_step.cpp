// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/implicit_rk/radau_step.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

// As Hairer and Wanner found them, J. Comp. Appl. Math. 111 (1999) 93.
constexpr double rate_for_more = 0.002, rate_for_less = 0.8;  // of Newton: change the order
constexpr double rate_for_same_jacobian = 0.001;
constexpr int steps_before_more = 10;
constexpr double newton_share = 0.01;  // of the tolerance that Newton may leave
constexpr double keep_step = 1.2;      // growth that is not worth new matrices
// The estimate is of much lower order than the result, but like that of the interpolant: rows
// between the steps are to be as good. Measured against CVODES at the same tolerance.
constexpr double strictness = 1;

int stages_for_order(int order) { return order >= 13 ? 7 : order >= 9 ? 5 : 3; }

// Values at x of the polynomials that are one at one of (0, nodes) and zero at the others, but for
// the first: all stages are differences to the start.
void lagrange(const RadauCoefficients& r, double x, double* weight) {
  for (int i = 0; i < r.stages; ++i) {
    const double own = r.node[i];
    weight[i] = x / own;
    for (int j = 0; j < r.stages; ++j)
      if (j != i) weight[i] *= (x - r.node[j]) / (own - r.node[j]);
  }
}

}  // namespace

RadauStepper::RadauStepper(LaneGroup& group)
    : OneLaneStepper(group),
      first_stages_(3),
      last_stages_(stages_for_order(group.options.max_order > 0 ? group.options.max_order : 13)),
      solver_(group.problem.linear->make_solver()),
      work_(size()),
      base_(size()),
      complex_work_(size()),
      unit_(size()),
      balanced_(jacobian_.size()) {
  for (auto& a : z_) a = AlignedArray(size());
  for (auto& a : residual_) a = AlignedArray(size());
  for (auto& a : z_before_) a = AlignedArray(size());
  if (fixed()) {  // the order is the one asked for
    if (group.options.max_order <= 0) last_stages_ = 3;
    first_stages_ = last_stages_;
  }
  use_stages(first_stages_);
}

void RadauStepper::use_stages(int stages) {
  r_ = &radau_coefficients(stages);
  for (std::size_t k = 0; k < r_->eigenvalues.size(); ++k)
    if (!complex_[k]) complex_[k] = make_complex_solver(program_.pattern, program_.mass);
  const double rtol = group_.options.rtol;
  newton_allowed_ = fixed() ? 1e-6 : newton_share;
  newton_allowed_ = std::max(newton_allowed_, 1e-15 * strictness / rtol);
  since_change_ = 0;
}

void RadauStepper::start(LaneMask lanes) {
  OneLaneStepper::start(lanes);
  use_stages(first_stages_);
  wants_jacobian_ = first_ = true;
  fresh_jacobian_ = rejected_ = false;
  r_before_ = nullptr;
  last_change_ = 1;
  control_.restart();
}

// Pivots are chosen by size: not by the units of the states.
void RadauStepper::balance() {
  const Sparsity& pattern = program_.pattern;
  constexpr double nothing = 1e-280;  // no scale is known yet: the inflow of a step is taken
  auto each_entry = [&](auto&& use) {
    for (std::size_t j = 0; j < size(); ++j)
      for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        const std::size_t e = p;
        use(static_cast<std::size_t>(pattern.row[e]), j, e);
      }
  };
  for (std::size_t i = 0; i < size(); ++i) base_[i] = group_.weight(static_cast<int>(i), 0);
  std::copy_n(base_.data(), size(), work_.data());
  each_entry([&](std::size_t i, std::size_t j, std::size_t e) {
    const double inflow = group_.h[0] * std::fabs(jacobian_[e]) * base_[j];
    if (base_[i] < nothing && base_[j] >= nothing && std::isfinite(inflow))
      work_[i] = std::max(work_[i], inflow);
  });
  constexpr double units_apart = 1e8;  // below, pivots are chosen well enough
  double least = INFINITY, most = 0;
  for (std::size_t i = 0; i < size(); ++i)
    if (work_[i] >= nothing) {
      least = std::min(least, work_[i]);
      most = std::max(most, work_[i]);
    }
  const bool alike = !(most > units_apart * least);
  for (std::size_t i = 0; i < size(); ++i)
    unit_[i] = alike || work_[i] < nothing ? 1 : std::scalbn(1.0, std::ilogb(work_[i]));
  each_entry([&](std::size_t i, std::size_t j, std::size_t e) {
    balanced_[e] = jacobian_[e] * (unit_[j] / unit_[i]);
  });
}

bool RadauStepper::prepare_matrices() {
  LaneGroup& g = group_;
  if (wants_jacobian_) {
    const double* where = g.y.data();
    if (from_stage_) {
      for (std::size_t k = 0; k < size(); ++k) work_[k] = g.y[k] + z(r_->stages - 1)[k];
      where = work_.data();
    }
    const bool sound = differentiate(g.t[0], where);
    if (sound) balance();
    wants_jacobian_ = !sound;
    fresh_jacobian_ = true;
    factored_h_ = 0;
    if (!sound) return false;
  }
  const double h = g.h[0];
  if (factored_h_ == h && factored_for_ == r_) return true;
  factored_h_ = 0;
  ++g.counters[0].lu;
  const double d = r_->real_eigenvalue / h;
  if (solver_->factor(&d, jacobian_.data())) return false;
  for (std::size_t k = 0; k < r_->eigenvalues.size(); ++k) {
    ++g.counters[0].lu;
    if (!complex_[k]->factor(r_->eigenvalues[k] / h, balanced_.data())) return false;
  }
  factored_h_ = h;
  factored_for_ = r_;
  return true;
}

// The polynomial of the step before, continued.
void RadauStepper::guess_stages() {
  for (int i = 0; i < r_->stages; ++i) {
    if (!r_before_) {
      z(i).fill(0);
      continue;
    }
    double weight[most_stages];
    lagrange(*r_before_, 1 + r_->node[i] * group_.h[0] / h_before_, weight);
    weight[r_before_->stages - 1] -= 1;  // it ends where this step begins
    for (std::size_t k = 0; k < size(); ++k) {
      double sum = 0;
      for (int j = 0; j < r_before_->stages; ++j) sum += weight[j] * z_before_[j][k];
      z(i)[k] = sum;
    }
  }
}

void RadauStepper::attempt(LaneMask) {
  LaneGroup& g = group_;
  g.error[0] = NAN;
  failed_ = !solve_with_matrices(true);
  if (failed_ && fixed()) {
    const double h = g.h[0];
    AlignedArray kept[most_stages];
    for (auto& a : kept) a = AlignedArray(size());
    for (auto& a : z_) a.fill(0);
    failed_ = !solve_by_homotopy(
        [&](double share) {
          g.h[0] = share * h;
          wants_jacobian_ = from_stage_ = true;
          const bool solved = solve_with_matrices(false);
          from_stage_ = false;
          return solved;
        },
        [&] {
          for (int i = 0; i < most_stages; ++i) std::copy_n(z(i).data(), size(), kept[i].data());
        },
        [&] {
          for (int i = 0; i < most_stages; ++i) std::copy_n(kept[i].data(), size(), z(i).data());
        });
    g.h[0] = h;
    wants_jacobian_ = true;
  }
  if (failed_) return;
  const AlignedArray& last = z(r_->stages - 1);
  for (std::size_t i = 0; i < size(); ++i) g.y_new[i] = g.y[i] + last[i];
  estimate();
  if (!(g.error[0] <= 1) && !fixed()) return;
  evaluate(g.t[0] + g.h[0], g.y_new.data(), slope_new_.data());
  if (!finite(slope_new_.data())) g.error[0] = NAN;
}

// Newton, again with a new Jacobian where the one at hand may be to blame.
bool RadauStepper::solve_with_matrices(bool guess) {
  for (;;) {
    const bool usable = prepare_matrices();
    if (usable && guess) guess_stages();
    if (usable && solve_stages()) return true;
    if (fresh_jacobian_) return false;
    wants_jacobian_ = true;
  }
}

// residual_i = f(y + z_i) - M (sum of (A^-1)_ij z_j)/h.
void RadauStepper::stage_residuals() {
  const LaneGroup& g = group_;
  const double inverse_h = 1 / g.h[0];
  const std::size_t s = r_->stages;
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t k = 0; k < size(); ++k) work_[k] = g.y[k] + z_[i][k];
    evaluate(g.t[0] + r_->node[i] * g.h[0], work_.data(), residual_[i].data());
  }
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t k = 0; k < size(); ++k) {
      double sum = 0;
      for (std::size_t j = 0; j < s; ++j) sum += r_->inverse[i * s + j] * z_[j][k];
      residual_[i][k] -= mass(k) * inverse_h * sum;
    }
}

// residual <- the change of the stages.
void RadauStepper::solve_decoupled() {
  const std::size_t s = r_->stages;
  AlignedArray change[most_stages];
  for (std::size_t i = 0; i < s; ++i) change[i] = AlignedArray(size());
  for (std::size_t k = 0; k < size(); ++k) {
    double sum = 0;
    for (std::size_t i = 0; i < s; ++i) sum += r_->real_in[i] * residual_[i][k];
    work_[k] = sum;
  }
  solver_->solve(work_.data());
  for (std::size_t i = 0; i < s; ++i)
    for (std::size_t k = 0; k < size(); ++k) change[i][k] = r_->real_out[i] * work_[k];
  for (std::size_t pair = 0; pair < r_->eigenvalues.size(); ++pair) {
    const std::complex<double>*in = &r_->in[pair * s], *out = &r_->out[pair * s];
    for (std::size_t k = 0; k < size(); ++k) {
      std::complex<double> sum = 0;
      for (std::size_t i = 0; i < s; ++i) sum += in[i] * residual_[i][k];
      complex_work_[k] = sum / unit_[k];
    }
    complex_[pair]->solve(complex_work_.data());
    for (std::size_t i = 0; i < s; ++i)
      for (std::size_t k = 0; k < size(); ++k)
        change[i][k] +=
            2 * unit_[k] *
            (out[i].real() * complex_work_[k].real() - out[i].imag() * complex_work_[k].imag());
  }
  for (std::size_t i = 0; i < s; ++i) residual_[i].swap(change[i]);
}

double RadauStepper::stage_norm() const {
  double sum = 0;
  for (int i = 0; i < r_->stages; ++i) {
    const double one = strictness * norm(residual_[i].data());
    sum += one * one;
  }
  return std::sqrt(sum / r_->stages);
}

bool RadauStepper::solve_stages() {
  const int limit = fixed() ? 20 : 7 + (r_->stages - 3) / 2;
  double before = 0, rate_before = 0;
  // What the last step knew of convergence, forgotten slowly.
  double expected = std::pow(std::max(last_change_, 1e-16), 0.8);
  for (iterations_ = 1; iterations_ <= limit; ++iterations_) {
    stage_residuals();
    solve_decoupled();
    ++group_.counters[0].newton;
    const AlignedArray& last = residual_[r_->stages - 1];
    for (std::size_t k = 0; k < size(); ++k)  // where it leads is part of the weights
      group_.y_new[k] = group_.y[k] + z(r_->stages - 1)[k] + last[k];
    const double change = stage_norm();
    if (std::isnan(change)) return false;
    if (iterations_ > 1) {
      const double rate = change / before;
      rate_ = iterations_ == 2 ? rate : std::sqrt(rate * rate_before);
      rate_before = rate;
      if (rate_ >= 0.99) return false;
      expected = rate_ / (1 - rate_);
      const double in_the_end =
          expected * change * std::pow(rate_, static_cast<double>(limit - 1 - iterations_));
      if (in_the_end > newton_allowed_ && iterations_ < limit - 1) return false;
    }
    before = std::max(change, 1e-300);
    for (int i = 0; i < r_->stages; ++i)
      for (std::size_t k = 0; k < size(); ++k) z(i)[k] += residual_[i][k];
    if (expected * change <= newton_allowed_) {
      if (iterations_ == 1) rate_ = 0;
      last_change_ = expected;
      return true;
    }
  }
  return false;
}

void RadauStepper::estimate() {
  LaneGroup& g = group_;
  const double by = r_->real_eigenvalue / g.h[0];
  for (std::size_t k = 0; k < size(); ++k) {
    double sum = 0;
    for (int i = 0; i < r_->stages; ++i) sum += r_->error[i] * z(i)[k];
    base_[k] = mass(k) * by * sum;
    work_[k] = base_[k] + slope_[k];
  }
  solver_->solve(work_.data());
  g.error[0] = strictness * norm(work_.data());
  // Fast components that are not there yet make it too large: a second look filters them again.
  if (g.error[0] > 1 && (first_ || rejected_) && !fixed()) {
    for (std::size_t k = 0; k < size(); ++k) work_[k] += g.y[k];
    AlignedArray f(size());
    evaluate(g.t[0], work_.data(), f.data());
    for (std::size_t k = 0; k < size(); ++k) work_[k] = base_[k] + f[k];
    solver_->solve(work_.data());
    g.error[0] = strictness * norm(work_.data());
  }
}

void RadauStepper::interpolate(int, double theta, double* out) {
  double weight[most_stages];
  lagrange(*r_, theta, weight);
  for (std::size_t k = 0; k < size(); ++k) {
    double sum = 0;
    for (int i = 0; i < r_->stages; ++i) sum += weight[i] * z(i)[k];
    out[k] = group_.y[k] + sum;
  }
}

void RadauStepper::accept(LaneMask lanes) {
  OneLaneStepper::accept(lanes);
  for (int i = 0; i < r_->stages; ++i) z_before_[i].swap(z_[i]);
  r_before_ = r_;
  h_before_ = group_.h[0];
  fresh_jacobian_ = false;
  wants_jacobian_ = rate_ > rate_for_same_jacobian;
  first_ = rejected_ = false;
  ++since_change_;
}

double RadauStepper::next_step(int, bool accepted) {
  const double h = group_.h[0], error = group_.error[0];
  if (fixed()) return h;
  if (accepted) {
    const int limit = 7 + (r_->stages - 3) / 2;
    double next = control_.after_accept(h, error, control_order());
    next *= (2.0 * limit + 1) / (2.0 * limit + iterations_);
    const double growth = next / h;
    choose_order(growth);
    return growth >= 1 && growth <= keep_step ? h : next;
  }
  rejected_ = true;
  wants_jacobian_ = !fresh_jacobian_;
  if (std::isnan(error)) {
    control_.after_reject(h, error, control_order());
    if (r_->stages > 3) use_stages(r_->stages - 2);
    return 0.5 * h;
  }
  const double next = control_.after_reject(h, error, control_order());
  return first_ ? 0.1 * h : next;
}

// Fast convergence says that a higher order pays, slow that it does not.
void RadauStepper::choose_order(double growth) {
  const int s = r_->stages;
  if (s < last_stages_ && since_change_ >= steps_before_more && rate_ <= rate_for_more &&
      growth > 0.8 && growth < 1.2)
    use_stages(s + 2);
  else if (s > 3 && rate_ >= rate_for_less)
    use_stages(s - 2);
}

}  // namespace stiffit::internal
