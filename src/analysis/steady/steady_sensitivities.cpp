// Derivatives of a steady state by the implicit function theorem.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/steady/steady_newton.h"

namespace stiffit::internal {

bool steady_sensitivities(const SteadyProblem& problem, const SteadyState& steady,
                          std::span<const double> directions, std::span<const double> start,
                          std::size_t thetas, std::span<double> result) {
  const Program& program = problem.equations();
  if (program.from_tables || problem.delays()) return false;
  const auto parameters = std::span(steady.slots).first(program.parameters);
  SteadyEquations equations(problem, parameters);
  equations.slots = steady.slots;
  std::vector<double> x = steady.state;
  const std::size_t n = x.size();
  const MoietyRows rows = problem.moieties(parameters, x);
  ReducedJacobian reduced(program.pattern, rows);
  if (!reduced.factor(equations.jacobian(x))) return false;
  const Differentiated& rates = problem.rates();
  std::vector<double> all(rates.result_size());
  double* arrays[4] = {&equations.time, x.data(), equations.slots.data(), all.data()};
  rates.all(arrays);
  const double* by_state = all.data() + rates.size;
  const double* by_parameter = by_state + rates.by_state.size();
  std::vector<double> shift(n), right(n), change(n);
  for (std::size_t k = 0; k < thetas; ++k) {
    // x = shift + change: the shift carries the conserved sums, the change conserves them.
    std::fill(shift.begin(), shift.end(), 0.0);
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const MoietyRow& row = rows.rows[r];
      double total = start[row.dependent * thetas + k];
      for (auto& [state, c] : row.others) total += c * start[state * thetas + k];
      shift[row.dependent] = total;
    }
    // A state that nothing moves stays what it was; its part in conserved sums is taken out again.
    for (int state : reduced.frozen()) {
      const double own = start[state * thetas + k];
      shift[state] = own;
      for (const MoietyRow& row : rows.rows)
        for (auto& [other, c] : row.others)
          if (other == state) shift[row.dependent] -= c * own;
    }
    std::fill(right.begin(), right.end(), 0.0);
    for (std::size_t e = 0; e < rates.by_state.size(); ++e)
      right[rates.by_state[e].row] -= by_state[e] * shift[rates.by_state[e].column];
    for (std::size_t e = 0; e < rates.by_parameter.size(); ++e)
      right[rates.by_parameter[e].row] -=
          by_parameter[e] * directions[rates.by_parameter[e].column * thetas + k];
    for (int state : reduced.frozen())
      if (right[state] != 0) return false;  // an unknown would set it in motion
    reduced.solve(right, change);
    for (std::size_t i = 0; i < n; ++i) result[i * thetas + k] = shift[i] + change[i];
  }
  return true;
}

}  // namespace stiffit::internal
