// SPDX-License-Identifier: Apache-2.0
#include "analysis/steady/steady_newton.h"

#include <algorithm>
#include <cmath>

#include "compile/settle_modes.h"

namespace stiffit::internal {

SteadyEquations::SteadyEquations(const SteadyProblem& problem, std::span<const double> parameters)
    : slots(problem.equations().parameter_slots, 0.0),
      program_(problem.equations()),
      jacobian_(problem.equations().pattern.nonzeros()),
      roots_(problem.equations().modes) {
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

// The longest share of the step that leaves no such state clearly below zero.
double longest_share(const NewtonOptions& options, std::span<const double> x,
                     std::span<const double> step) {
  double share = 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!options.nonnegative[i]) continue;
    const double least = negligible * options.scale[i];
    if (x[i] + step[i] >= -least) continue;
    share = std::min(share, 0.95 * std::max(x[i], least) / -step[i]);
  }
  return share;
}

// J less f/x on its diagonal.
const double* per_head(const Sparsity& pattern, const NewtonOptions& options,
                       const double* jacobian, std::span<const double> x, std::span<const double> f,
                       std::vector<double>& result) {
  result.assign(jacobian, jacobian + pattern.nonzeros());
  for (std::size_t j = 0; j < x.size(); ++j)
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k)
      if (pattern.row[k] == static_cast<int>(j) && options.nonnegative[j] &&
          x[j] > negligible * options.scale[j])
        result[k] -= f[j] / x[j];
  return result.data();
}

}  // namespace

std::vector<double> turnover(const Sparsity& pattern, const double* jacobian,
                             std::span<const double> x) {
  std::vector<double> result(x.size(), 0.0);
  for (std::size_t j = 0; j < x.size(); ++j)
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k)
      result[pattern.row[k]] += std::fabs(jacobian[k] * x[j]);
  return result;
}

bool balanced(const SteadyProblem& problem, SteadyEquations& equations,
              std::span<const double> scale, std::vector<double>& x) {
  constexpr double small = 1e-8;
  std::vector<double> f(x.size()), size(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) size[i] = std::fabs(x[i]) + scale[i];
  const std::vector<double> through =
      turnover(problem.equations().pattern, equations.jacobian(x), size);
  equations.rates(x, f);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(f[i]) <= small * through[i])) return false;
  return true;
}

NewtonResult newton(const SteadyProblem& problem, SteadyEquations& equations,
                    const MoietyRows& rows, const NewtonOptions& options, std::vector<double>& x) {
  const std::size_t n = x.size();
  NewtonResult result;
  ReducedJacobian reduced(problem.equations().pattern, rows);
  const std::vector<double> from = x;
  std::vector<double> f(n), step(n), trial(n), next(n), changed;
  auto step_from = [&](std::vector<double>& at, std::vector<double>& out) {
    equations.rates(at, f);
    for (double& v : f) v = -v;
    reduced.solve(f, out);
    return scaled_size(out, options.scale);
  };
  double length = INFINITY;
  for (int round = 0; round < most_iterations; ++round) {
    const double* jacobian = equations.jacobian(x);
    if (options.per_head) {
      equations.rates(x, f);
      jacobian = per_head(problem.equations().pattern, options, jacobian, x, f, changed);
    }
    if (!reduced.factor(jacobian)) return result;
    const double size = step_from(x, step);
    if (!std::isfinite(size)) return result;
    if (round == 0) result.first = size;
    if (round == 0 && size > options.longest_first) {
      result.regular = true;
      return result;
    }
    if (length > still_good && std::isfinite(length))
      result.contraction = std::max(result.contraction, size / length);
    if (size <= close_enough || (size <= still_good && size > 0.5 * length)) {
      for (std::size_t i = 0; i < n; ++i) x[i] += step[i];
      result.converged = result.regular = true;
      for (std::size_t i = 0; i < n; ++i) next[i] = x[i] - from[i];
      result.distance = scaled_size(next, options.scale);
      return result;
    }
    length = size;
    // Damped until the next step, by the same matrix, is shorter (natural monotonicity).
    double share = longest_share(options, x, step);
    for (;; share *= 0.5) {
      if (share < 1e-6) return result;
      for (std::size_t i = 0; i < n; ++i) trial[i] = x[i] + share * step[i];
      const double after = step_from(trial, next);
      if (after <= (1 - 0.25 * share) * size || after <= close_enough) break;
      if (size <= still_good) break;  // rounding
    }
    if (share < 1) result.contraction = 1;
    x = trial;
  }
  return result;
}

}  // namespace stiffit::internal
