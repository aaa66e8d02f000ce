// The equilibrium of fast reactions: their own motion, all else standing still, followed until it
// comes to rest. Following it, rather than looking for any zero of the rates, is what tells an
// equilibrium that is reached from one that is left, and lets a law that is zero change nothing.
// It has steps of its own: its unknowns are followed together with algebraic rules (a mass matrix,
// which OdeSystem does not have, and their exact solution after each step), and it goes on until
// nothing changes beyond rounding, where the driver's error control has long been satisfied.
//
// Method: ROS2 (Verwer, Spee, Blom, Hundsdorfer, SIAM J. Sci. Comput. 20 (1999)), order 2(1),
// L-stable, so that its steps become Newton steps towards the end.
//
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include "linear/small_solve.h"
#include "ode/events/event_handler.h"

namespace stiffit::internal {
namespace {

constexpr int most_steps = 20000;
constexpr double relative = 1e-2, absolute = 1e-9;  // of a step's error; absolute: of the largest
constexpr double at_rest = 1e-14;                   // of the largest amount
constexpr double long_enough = 1e9;                 // a step, in units of the fastest time
constexpr double runaway = 1e12;                    // growth that is no way to an equilibrium

const double ros2_gamma = 1 - std::sqrt(0.5);

// The motion of the fast reactions alone, from the states of its owner.
class FastMotion {
 public:
  using Evaluate = std::function<void(const Kernel&, std::vector<double>&)>;

  FastMotion(const Program& program, const HybridProgram& hybrid, std::vector<double>& y,
             Evaluate evaluate);

  // One attempt at a step. False: refused, the states are what they were and the next is shorter.
  bool step();
  // After a step: what algebraic rules determine may have been solved for since.
  bool at_equilibrium() const { return still_ || (change_ <= at_rest * scale_ && long_step_); }
  bool runs_away() const { return largest_ > runaway * scale_; }
  bool still() const { return still_; }  // the rates are zero, nothing was moved
  bool has_algebraic() const { return n_ > m_; }

 private:
  double& at(std::size_t k) { return y_[unknowns_[k]]; }
  void find_scale();
  void evaluate_rates(std::vector<double>& out);
  void evaluate_jacobian();
  bool begin_step();  // false: nothing moves
  bool solve(std::vector<double>& b);
  double move();  // by the stages; the error beside its tolerance

  const Program& program_;
  const HybridProgram& hybrid_;
  std::vector<double>& y_;
  Evaluate evaluate_;
  std::vector<int> unknowns_;  // the amounts, and what algebraic rules determine from them
  std::vector<int> position_;  // of a state among them; -1: none
  std::size_t m_, n_;          // amounts; all
  std::vector<double> residual_, f_, partials_, values_, matrix_;
  std::vector<double> rates_, jacobian_, start_, k1_, k2_;
  double scale_ = 0, h_ = 0;
  double change_ = 0, largest_ = 0, fastest_ = 0;
  bool fresh_ = true, still_ = false, long_step_ = false;
};

FastMotion::FastMotion(const Program& program, const HybridProgram& hybrid, std::vector<double>& y,
                       Evaluate evaluate)
    : program_(program),
      hybrid_(hybrid),
      y_(y),
      evaluate_(std::move(evaluate)),
      unknowns_(hybrid.fast.states),
      position_(y.size(), -1),
      m_(unknowns_.size()),
      n_(m_ + hybrid.algebraic.size()),
      residual_(m_),
      f_(y.size()),
      partials_(hybrid.fast.partials.size()),
      values_(static_cast<std::size_t>(program.pattern.nonzeros())),
      rates_(n_),
      jacobian_(n_ * n_),
      start_(n_),
      k1_(n_),
      k2_(n_) {
  unknowns_.insert(unknowns_.end(), hybrid.algebraic.begin(), hybrid.algebraic.end());
  for (std::size_t k = 0; k < n_; ++k) position_[unknowns_[k]] = static_cast<int>(k);
  find_scale();
}

void FastMotion::find_scale() {
  std::vector<double> amounts(hybrid_.fast.totals.size());
  if (!amounts.empty()) evaluate_(hybrid_.fast.amounts, amounts);
  for (double a : amounts) scale_ = std::max(scale_, std::fabs(a));
  for (std::size_t k = 0; k < m_; ++k) scale_ = std::max(scale_, std::fabs(at(k)));
  if (scale_ == 0) scale_ = 1;
}

void FastMotion::evaluate_rates(std::vector<double>& out) {
  evaluate_(hybrid_.fast.residual, residual_);
  std::copy(residual_.begin(), residual_.end(), out.begin());
  if (n_ == m_) return;
  evaluate_(hybrid_.rhs, f_);
  for (std::size_t k = m_; k < n_; ++k) out[k] = f_[unknowns_[k]];
}

void FastMotion::evaluate_jacobian() {
  const HybridProgram::Fast& fast = hybrid_.fast;
  std::fill(jacobian_.begin(), jacobian_.end(), 0.0);
  evaluate_(fast.partial_values, partials_);
  for (std::size_t e = 0; e < partials_.size(); ++e)
    if (int column = position_[fast.partials[e].state]; column >= 0)
      jacobian_[static_cast<std::size_t>(fast.partials[e].row) * n_ +
                static_cast<std::size_t>(column)] = partials_[e];
  if (n_ == m_) return;
  const Sparsity& pattern = program_.pattern;
  evaluate_(hybrid_.jacobian, values_);
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t column = unknowns_[k];
    for (int e = pattern.column_start[column]; e < pattern.column_start[column + 1]; ++e) {
      int row = position_[pattern.row[e]];
      if (row >= static_cast<int>(m_))
        jacobian_[static_cast<std::size_t>(row) * n_ + k] = values_[e];
    }
  }
}

bool FastMotion::begin_step() {
  evaluate_rates(rates_);
  double largest = 0;
  for (std::size_t k = 0; k < m_; ++k) largest = std::max(largest, std::fabs(rates_[k]));
  if (largest == 0) return false;
  evaluate_jacobian();
  fastest_ = 0;
  for (std::size_t k = 0; k < m_ * n_; ++k) fastest_ = std::max(fastest_, std::fabs(jacobian_[k]));
  for (std::size_t k = 0; k < n_; ++k) start_[k] = at(k);
  if (h_ == 0) h_ = 1e-3 * scale_ / largest;
  return true;
}

bool FastMotion::solve(std::vector<double>& b) {
  matrix_.assign(n_ * n_, 0.0);
  for (std::size_t k = 0; k < n_ * n_; ++k) matrix_[k] = -ros2_gamma * h_ * jacobian_[k];
  for (std::size_t k = 0; k < m_; ++k) matrix_[k * n_ + k] += 1;
  return small_solve(matrix_, b, b.size());
}

double FastMotion::move() {
  double error = 0;
  change_ = largest_ = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    const double moved = h_ * (1.5 * k1_[k] + 0.5 * k2_[k]);
    at(k) = start_[k] + moved;
    if (k >= m_) continue;
    const double weight =
        relative * std::min(std::fabs(start_[k]), std::fabs(at(k))) + absolute * scale_;
    const double part = std::fabs(0.5 * h_ * (k1_[k] + k2_[k])) / weight;
    error = part > error || std::isnan(part) ? part : error;
    change_ = std::max(change_, std::fabs(moved));
    largest_ = std::max(largest_, std::fabs(at(k)));
  }
  return error;
}

bool FastMotion::step() {
  if (fresh_ && !begin_step()) return still_ = true;
  k1_ = rates_;
  bool solved = solve(k1_);
  for (std::size_t k = 0; k < n_; ++k) at(k) = start_[k] + h_ * k1_[k];
  evaluate_rates(k2_);
  for (std::size_t k = 0; k < m_; ++k) k2_[k] -= 2 * k1_[k];
  solved = solved && solve(k2_);
  const double error = move();
  fresh_ = solved && error <= 1;
  if (!fresh_) {
    for (std::size_t k = 0; k < n_; ++k) at(k) = start_[k];
    h_ *= solved && std::isfinite(error) ? std::max(0.1, 0.8 / std::sqrt(error)) : 0.25;
    return false;
  }
  long_step_ = h_ * fastest_ > long_enough;
  h_ *= std::min(5.0, 0.8 / std::sqrt(std::max(error, 1e-4)));
  return true;
}

}  // namespace

void EventHandler::find_equilibrium() {
  if (hybrid_.fast.states.empty() || !trouble_.empty()) return;
  FastMotion motion(program_, hybrid_, y, [this](const Kernel& kernel, std::vector<double>& out) {
    evaluate(kernel, out);
  });
  for (int step = 0; step < most_steps; ++step) {
    if (!motion.step()) continue;
    if (motion.runs_away()) {
      trouble_ = "the fast reactions have no equilibrium: amounts grow without bound";
      return;
    }
    if (motion.has_algebraic() && !motion.still()) solve_algebraic();
    if (!trouble_.empty() || motion.at_equilibrium()) return;
  }
  trouble_ = "the fast reactions do not come to an equilibrium";
}

}  // namespace stiffit::internal
