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

#include "linear/small_solve.h"
#include "ode/events/event_handler.h"

namespace stiffit::internal {
namespace {

constexpr int most_steps = 20000;
constexpr double relative = 1e-2, absolute = 1e-9;  // of a step's error; absolute: of the largest
constexpr double at_rest = 1e-14;                   // of the largest amount
constexpr double long_enough = 1e9;                 // a step, in units of the fastest time
constexpr double runaway = 1e12;                    // growth that is no way to an equilibrium

}  // namespace

void EventHandler::find_equilibrium() {
  const HybridProgram::Fast& fast = hybrid_.fast;
  if (fast.states.empty() || !trouble_.empty()) return;
  // Unknowns: the amounts, and what algebraic rules determine from them.
  const std::size_t m = fast.states.size(), n = m + hybrid_.algebraic.size();
  std::vector<int> unknowns = fast.states;
  unknowns.insert(unknowns.end(), hybrid_.algebraic.begin(), hybrid_.algebraic.end());
  std::vector<int> position(y.size(), -1);
  for (std::size_t k = 0; k < n; ++k)
    position[static_cast<std::size_t>(unknowns[k])] = static_cast<int>(k);
  auto at = [&](std::size_t k) -> double& { return y[static_cast<std::size_t>(unknowns[k])]; };

  std::vector<double> r(m), f(y.size()), partials(fast.partials.size());
  std::vector<double> rates(n), jacobian(n * n), start(n), k1(n), k2(n), matrix;
  const Sparsity& pattern = program_.pattern;
  std::vector<double> values(static_cast<std::size_t>(pattern.nonzeros()));
  auto evaluate_rates = [&](std::vector<double>& out) {
    evaluate(fast.residual, r);
    std::copy(r.begin(), r.end(), out.begin());
    if (n == m) return;
    evaluate(hybrid_.rhs, f);
    for (std::size_t k = m; k < n; ++k) out[k] = f[static_cast<std::size_t>(unknowns[k])];
  };
  auto evaluate_jacobian = [&] {
    std::fill(jacobian.begin(), jacobian.end(), 0.0);
    evaluate(fast.partial_values, partials);
    for (std::size_t e = 0; e < partials.size(); ++e)
      if (int column = position[static_cast<std::size_t>(fast.partials[e].state)]; column >= 0)
        jacobian[static_cast<std::size_t>(fast.partials[e].row) * n +
                 static_cast<std::size_t>(column)] = partials[e];
    if (n == m) return;
    evaluate(hybrid_.jacobian, values);
    for (std::size_t k = 0; k < n; ++k) {
      auto column = static_cast<std::size_t>(unknowns[k]);
      for (int e = pattern.column_start[column]; e < pattern.column_start[column + 1]; ++e) {
        int row = position[static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(e)])];
        if (row >= static_cast<int>(m))
          jacobian[static_cast<std::size_t>(row) * n + k] = values[static_cast<std::size_t>(e)];
      }
    }
  };

  double scale = 0;
  std::vector<double> amounts(fast.totals.size());
  if (!amounts.empty()) evaluate(fast.amounts, amounts);
  for (double a : amounts) scale = std::max(scale, std::fabs(a));
  for (std::size_t k = 0; k < m; ++k) scale = std::max(scale, std::fabs(at(k)));
  if (scale == 0) scale = 1;
  const double limit = runaway * scale;

  const double gamma = 1 - std::sqrt(0.5);
  double h = 0;
  bool fresh = true;
  for (int step = 0; step < most_steps; ++step) {
    if (fresh) {
      evaluate_rates(rates);
      double largest = 0;
      for (std::size_t k = 0; k < m; ++k) largest = std::max(largest, std::fabs(rates[k]));
      if (largest == 0) return;
      evaluate_jacobian();
      for (std::size_t k = 0; k < n; ++k) start[k] = at(k);
      if (h == 0) h = 1e-3 * scale / largest;
    }
    double fastest = 0;
    for (std::size_t k = 0; k < m * n; ++k) fastest = std::max(fastest, std::fabs(jacobian[k]));
    auto solve = [&](std::vector<double>& b) {
      matrix.assign(n * n, 0.0);
      for (std::size_t k = 0; k < n * n; ++k) matrix[k] = -gamma * h * jacobian[k];
      for (std::size_t k = 0; k < m; ++k) matrix[k * n + k] += 1;
      return small_solve(matrix, b, b.size());
    };
    k1 = rates;
    bool solved = solve(k1);
    for (std::size_t k = 0; k < n; ++k) at(k) = start[k] + h * k1[k];
    evaluate_rates(k2);
    for (std::size_t k = 0; k < m; ++k) k2[k] -= 2 * k1[k];
    solved = solved && solve(k2);
    double error = 0, change = 0, largest = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double moved = h * (1.5 * k1[k] + 0.5 * k2[k]);
      at(k) = start[k] + moved;
      if (k >= m) continue;
      const double weight =
          relative * std::min(std::fabs(start[k]), std::fabs(at(k))) + absolute * scale;
      const double part = std::fabs(0.5 * h * (k1[k] + k2[k])) / weight;
      error = part > error || std::isnan(part) ? part : error;
      change = std::max(change, std::fabs(moved));
      largest = std::max(largest, std::fabs(at(k)));
    }
    if (!solved || !(error <= 1)) {
      for (std::size_t k = 0; k < n; ++k) at(k) = start[k];
      h *= solved && std::isfinite(error) ? std::max(0.1, 0.8 / std::sqrt(error)) : 0.25;
      fresh = false;
      continue;
    }
    fresh = true;
    if (largest > limit) {
      trouble_ = "the fast reactions have no equilibrium: amounts grow without bound";
      return;
    }
    if (n > m) solve_algebraic();
    if (!trouble_.empty()) return;
    if (change <= at_rest * scale && h * fastest > long_enough) return;
    h *= std::min(5.0, 0.8 / std::sqrt(std::max(error, 1e-4)));
  }
  trouble_ = "the fast reactions do not come to an equilibrium";
}

}  // namespace stiffit::internal
