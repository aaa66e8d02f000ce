// Consistent values of the algebraic states: Newton on 0 = f with the other states held, damped,
// from where they stand.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "linear/small_solve.h"
#include "ode/events/event_handler.h"

namespace stiffit::internal {
namespace {

constexpr int most_iterations = 100;

}  // namespace

void EventHandler::solve_algebraic() {
  const std::vector<int>& unknowns = hybrid_.algebraic;
  if (unknowns.empty() || !trouble_.empty()) return;
  const std::size_t m = unknowns.size();
  const Sparsity& pattern = program_.pattern;
  std::vector<double> f(y.size()), values(static_cast<std::size_t>(pattern.nonzeros()));
  std::vector<double> matrix(m * m), step(m), start(m);
  std::vector<int> position(y.size(), -1);
  for (std::size_t k = 0; k < m; ++k) {
    position[unknowns[k]] = static_cast<int>(k);
    // An unknown that the model gives no value starts at zero.
    double& value = y[unknowns[k]];
    if (std::isnan(value)) value = 0;
  }
  auto residual = [&] {
    evaluate(hybrid_.rhs, f);
    double sum = 0;
    for (int i : unknowns) sum += f[i] * f[i];
    return std::sqrt(sum);
  };
  double size = residual();
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    if (size == 0) return;
    evaluate(hybrid_.jacobian, values);
    std::fill(matrix.begin(), matrix.end(), 0.0);
    for (std::size_t k = 0; k < m; ++k) {
      std::size_t column = unknowns[k];
      for (int e = pattern.column_start[column]; e < pattern.column_start[column + 1]; ++e)
        if (int row = position[pattern.row[e]]; row >= 0)
          matrix[static_cast<std::size_t>(row) * m + k] = values[e];
      step[k] = -f[column];
      start[k] = y[column];
    }
    if (!small_solve(matrix, step, step.size())) {
      trouble_ = "the algebraic equations do not determine their unknowns (index above one?)";
      return;
    }
    double change = 0;
    for (std::size_t k = 0; k < m; ++k)
      change = std::max(change,
                        std::fabs(step[k]) / (std::fabs(start[k]) + std::fabs(step[k]) + 1e-300));
    double damping = 1, trial = size;
    for (int halving = 0; halving < 30; ++halving, damping *= 0.5) {
      for (std::size_t k = 0; k < m; ++k) y[unknowns[k]] = start[k] + damping * step[k];
      trial = residual();
      if (trial < size || trial == 0) break;
    }
    if (!(trial < size)) {
      // No further progress: done if the step is down to rounding.
      for (std::size_t k = 0; k < m; ++k) y[unknowns[k]] = start[k];
      residual();
      if (change < 1e-9) return;
      trouble_ = "no solution of the algebraic equations was found";
      return;
    }
    size = trial;
    if (change < 1e-15) return;
  }
  trouble_ = "no solution of the algebraic equations was found";
}

}  // namespace stiffit::internal
