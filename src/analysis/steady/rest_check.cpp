// SPDX-License-Identifier: Apache-2.0
#include "analysis/steady/rest_check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stiffit::internal {
namespace {

constexpr double rounding = 256 * std::numeric_limits<double>::epsilon();  // of a turnover
constexpr int most_eigenvalues = 400;
// A rate times the time that has passed: what remains of a rate that has died out, as far as
// numbers go. No two rates of a model differ so much.
constexpr double beyond_all_rates = 1e-30;

// What the rounding of the rates may make of a change: some patterns of signs, the worst of them.
std::vector<double> amplified(const ReducedJacobian& reduced, std::span<const double> through) {
  const std::size_t n = through.size();
  std::vector<double> result(n, 0.0), right(n), change(n);
  for (unsigned pattern = 0; pattern < 4; ++pattern) {
    for (std::size_t i = 0; i < n; ++i) {
      const bool minus = pattern > 0 && (i * 2654435761u >> (7 * pattern)) % 2;
      right[i] = (minus ? -rounding : rounding) * through[i];
    }
    reduced.solve(right, change);
    for (std::size_t i = 0; i < n; ++i) result[i] = std::max(result[i], std::fabs(change[i]));
  }
  return result;
}

}  // namespace

bool RestCheck::rests(SteadyEquations& equations, const MoietyRows& rows, std::vector<double>& x,
                      const RestPoint& point) {
  const Program& program = problem_.equations();
  const std::size_t n = x.size();
  auto algebraic = [&](std::size_t i) { return !program.mass.empty() && program.mass[i] == 0; };
  std::vector<double> right(n), change(n), left(n);
  equations.rates(x, right);
  for (double& value : right) {
    if (!std::isfinite(value)) return false;
    value = -value;
  }
  const double* jacobian = equations.jacobian(x);
  const std::vector<double> through = turnover(program.pattern, jacobian, x);
  ReducedJacobian reduced(program.pattern, rows);
  reduced.factor(jacobian);
  if (reduced.blocks().empty() && !rows.kept.empty()) return false;  // J is not finite
  reduced.mark_absent(point.absent);
  std::vector<char> undecided(n, 0);
  for (std::size_t b = 0; b < reduced.blocks().size(); ++b) {
    const ReducedJacobian::Block& block = reduced.blocks()[b];
    double& known = rate_[block.states.front()];
    const double before = known;
    known = block.neutral ? 0 : reduced.rate(b) * point.elapsed;
    const bool dies = !block.neutral && known <= point.tolerance &&
                      (known < 0.5 * before || known < beyond_all_rates);
    if (dies) reduced.hold(b);
    if (block.neutral || dies)
      for (int state : block.states) undecided[state] = 1;
  }
  reduced.solve(right, change);
  reduced.remainder(right, change, left);
  const std::vector<double> margin = amplified(reduced, through);
  bool result = true, others = true;
  int drifts = -1;
  double farthest = 0.1;
  for (std::size_t i = 0; i < n; ++i) {
    const double enough = 10 * point.tolerance * point.scale[i];
    const bool stands = std::fabs(change[i]) <= std::max(enough, margin[i]) &&
                        std::fabs(x[i] - point.before[i]) <= enough;
    result &= stands;
    others &= stands || undecided[i];
    if (!undecided[i] || algebraic(i)) continue;
    // What is left of the rate when all that J knows of has decayed, or the rate itself.
    const double rate = std::min(std::fabs(left[i]), std::fabs(right[i]));
    const double drift = rate <= rounding * through[i] ? 0 : rate * point.elapsed / point.scale[i];
    result &= drift == 0 || (drift <= point.tolerance && drift < 0.5 * drift_[i]);
    drift_[i] = drift;
    const double moved = std::fabs(x[i] - point.before[i]) / point.scale[i];
    if (drift > 0.1 && moved > farthest) {
      farthest = moved;
      drifts = static_cast<int>(i);
    }
  }
  drifting_ = others && drifts >= 0 ? drifting_ + 1 : 0;
  drifter_ = drifts;
  return result && !reduced.grows(most_eigenvalues, program.mass);
}

}  // namespace stiffit::internal
