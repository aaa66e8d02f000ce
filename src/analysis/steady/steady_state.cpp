// SPDX-License-Identifier: Apache-2.0
#include "analysis/steady/steady_state.h"

#include <algorithm>
#include <cmath>

#include "analysis/steady/steady_newton.h"

namespace stiffit::internal {
namespace {

// Where Newton's method alone starts: in the middle of the last part of the way, also in logarithms
// (what swings over decades is mostly small), at its end, and along it.
std::vector<std::vector<double>> starts_of(const SteadyState& from) {
  const std::size_t n = from.state.size(), rows = n ? from.path.size() / n : 0;
  std::vector<std::vector<double>> starts;
  auto at = [&](std::size_t row, std::size_t i) { return from.path[row * n + i]; };
  if (const std::size_t last = std::min<std::size_t>(rows, 32); last > 0) {
    std::vector<double> mean(n, 0.0), middle(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t r = rows - last; r < rows; ++r) {
        mean[i] += at(r, i) / static_cast<double>(last);
        middle[i] += std::log(at(r, i)) / static_cast<double>(last);
      }
      middle[i] = std::isfinite(middle[i]) ? std::exp(middle[i]) : mean[i];
    }
    starts.push_back(std::move(mean));
    starts.push_back(std::move(middle));
  }
  starts.push_back(from.state);
  constexpr std::size_t some = 3;  // of the samples, the last first
  for (std::size_t r = 1; r <= rows; r += some) {
    const auto begin = from.path.begin() + ((rows - r) * n);
    starts.emplace_back(begin, begin + n);
  }
  return starts;
}

}  // namespace

bool newton_steady_state(const SteadyProblem& problem, SteadyState& from) {
  const Program& program = problem.equations();
  if (!program.autonomous) return false;
  const std::size_t n = from.state.size();
  const auto parameters = std::span(from.slots).first(program.parameters);
  std::vector<double> best;
  std::size_t fewest = n + 1;
  SteadyEquations equations(problem, parameters);
  const std::vector<std::vector<double>> starts = starts_of(from);
  std::vector<char> present(n, 0);
  for (const std::vector<double>& start : starts)
    for (std::size_t i = 0; i < n; ++i) present[i] |= std::fabs(start[i]) > 1e-6 * from.scale[i];
  for (std::size_t trial = 0; trial < 2 * starts.size(); ++trial) {
    std::vector<double> x = starts[trial / 2];
    equations.settle(x);
    const MoietyRows rows = problem.moieties(parameters, x);
    NewtonOptions options{from.scale, from.nonnegative};
    options.per_head = trial % 2 == 0;
    const NewtonResult result = newton(problem, equations, rows, options, x);
    if (!result.converged) continue;
    bool negative = false;
    std::size_t extinct = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double least = 1e-10 * from.scale[i];
      negative |= from.nonnegative[i] && x[i] < -least;
      if (from.nonnegative[i] && x[i] < 0) x[i] = 0;
      extinct += std::fabs(x[i]) <= least && present[i];
    }
    if (negative || equations.settle(x) || !balanced(problem, equations, from.scale, x)) continue;
    if (extinct >= fewest) continue;
    fewest = extinct;
    best = std::move(x);
    if (extinct == 0) break;
  }
  if (best.empty()) return false;
  std::vector<double> f(n);
  equations.settle(best);
  equations.rates(best, f);
  from.residual = scaled_size(f, from.scale);
  from.state = std::move(best);
  from.slots = equations.slots;
  from.newton = true;
  from.stable_route = false;
  from.status = SteadyStatus::found;
  return true;
}

std::vector<std::complex<double>> steady_eigenvalues(const SteadyProblem& problem,
                                                     const SteadyState& steady) {
  const Program& program = problem.equations();
  const auto parameters = std::span(steady.slots).first(program.parameters);
  SteadyEquations equations(problem, parameters);
  equations.slots = steady.slots;
  std::vector<double> x = steady.state;
  const MoietyRows rows = problem.moieties(parameters, x);
  return ReducedJacobian(program.pattern, rows).eigenvalues(equations.jacobian(x), program.mass);
}

}  // namespace stiffit::internal
