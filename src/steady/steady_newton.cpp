// SPDX-License-Identifier: Apache-2.0
#include "steady/steady_newton.h"

#include <algorithm>
#include <cmath>

#include "compile/settle_modes.h"

namespace stiffit {

SteadyEquations::SteadyEquations(const SteadyProblem& problem, std::span<const double> parameters)
    : slots(static_cast<std::size_t>(problem.program().parameter_slots), 0.0),
      program_(problem.program()),
      jacobian_(static_cast<std::size_t>(problem.program().pattern.nonzeros())),
      roots_(static_cast<std::size_t>(problem.program().modes)) {
  std::copy(parameters.begin(), parameters.end(), slots.begin());
  double* arrays[1] = {slots.data()};
  program_.prepare(arrays);
}

bool SteadyEquations::settle(std::vector<double>& x) {
  return settle_modes(program_, time, x.data(), slots.data(), roots_.data());
}

void SteadyEquations::rates(std::vector<double>& x, std::vector<double>& f) {
  double* arrays[4] = {&time, x.data(), slots.data(), f.data()};
  program_.rhs(arrays);
}

const double* SteadyEquations::jacobian(std::vector<double>& x) {
  double* arrays[4] = {&time, x.data(), slots.data(), jacobian_.data()};
  program_.jacobian(arrays);
  return jacobian_.data();
}

std::vector<char> SteadyEquations::triggers(std::vector<double>& x) {
  if (!program_.hybrid) return {};
  std::vector<double> values(program_.hybrid->events.size());
  double* arrays[4] = {&time, x.data(), slots.data(), values.data()};
  program_.hybrid->triggers(arrays);
  return {values.begin(), values.end()};
}

double scaled_size(std::span<const double> a, std::span<const double> scale) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i])) return a[i];
    most = std::max(most, std::fabs(a[i]) / scale[i]);
  }
  return most;
}

namespace {

constexpr int most_iterations = 60;
constexpr double close_enough = 1e-13;  // of a step: nothing more to gain
constexpr double still_good = 1e-9;     // of a step that rounding keeps from shrinking
constexpr double negligible = 1e-12;    // below zero, in units of the scale

// The longest share of the step that leaves no species clearly below zero.
double longest_share(const Program& program, std::span<const double> x,
                     std::span<const double> step, std::span<const double> scale) {
  double share = 1;
  for (int s : program.substances) {
    const auto i = static_cast<std::size_t>(s);
    if (x[i] + step[i] >= -negligible * scale[i]) continue;
    share = std::min(share, 0.95 * std::max(x[i], negligible * scale[i]) / -step[i]);
  }
  return share;
}

}  // namespace

NewtonResult newton(const SteadyProblem& problem, SteadyEquations& equations,
                    const MoietyRows& rows, std::span<const double> scale, double longest_first,
                    std::vector<double>& x) {
  const std::size_t n = x.size();
  NewtonResult result;
  ReducedJacobian reduced(problem.program().pattern, rows);
  const std::vector<double> from = x;
  std::vector<double> f(n), step(n), trial(n), next(n);
  equations.rates(x, f);
  double length = INFINITY;
  for (int round = 0; round < most_iterations; ++round) {
    if (!reduced.factor(equations.jacobian(x), scale)) return result;
    for (double& v : f) v = -v;
    reduced.solve(f, step);
    const double size = scaled_size(step, scale);
    if (!std::isfinite(size)) return result;
    if (round == 0) result.first = size;
    if (round == 0 && size > longest_first) {
      result.regular = true;
      result.sign = reduced.sign();
      return result;
    }
    if (size <= close_enough || (size <= still_good && size > 0.5 * length)) {
      for (std::size_t i = 0; i < n; ++i) x[i] += step[i];
      result.converged = result.regular = true;
      result.sign = reduced.sign();
      for (std::size_t i = 0; i < n; ++i) next[i] = x[i] - from[i];
      result.distance = scaled_size(next, scale);
      return result;
    }
    length = size;
    // Damped until the next step, by the same matrix, is shorter (natural monotonicity).
    double share = longest_share(problem.program(), x, step, scale);
    for (;; share *= 0.5) {
      if (share < 1e-6) return result;
      for (std::size_t i = 0; i < n; ++i) trial[i] = x[i] + share * step[i];
      equations.rates(trial, f);
      std::vector<double> negative(n);
      for (std::size_t i = 0; i < n; ++i) negative[i] = -f[i];
      reduced.solve(negative, next);
      const double after = scaled_size(next, scale);
      if (after <= (1 - 0.25 * share) * size || after <= close_enough) break;
      if (size <= still_good) break;  // rounding
    }
    x = trial;
  }
  return result;
}

}  // namespace stiffit
