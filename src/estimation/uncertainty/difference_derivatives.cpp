// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/difference_derivatives.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

// Far above the errors of an integration, and small enough for a straight line.
constexpr double step = 1e-3;

double on_scale(double value, Transformation transformation) {
  return transformation == Transformation::none  ? value
         : transformation == Transformation::log ? std::log(value)
                                                 : std::log10(value);
}

// What every row is compared by, and with what.
struct ComparedRow {
  Transformation transformation = Transformation::none;
  double measured = 0;
};

std::vector<ComparedRow> compared_rows(const FitProblem& problem, std::size_t count) {
  std::vector<ComparedRow> rows(count);
  auto add = [&](const FitProblem& part) {
    for (std::size_t i = 0; i < part.measurements.size(); ++i) {
      const Measurement& m = part.measurements[i];
      const Transformation t = part.observables[m.observable].transformation;
      rows[m.row >= 0 ? m.row : i] = {t, on_scale(m.value, t)};
    }
  };
  if (problem.model) add(problem);
  for (const FitProblem& part : problem.parts) add(part);
  return rows;
}

}  // namespace

ResidualDerivatives difference_derivatives(const ProblemObjective& objective,
                                           std::span<const double> theta, std::string& failure) {
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  const std::size_t n = theta.size();
  failure.clear();
  ResidualDerivatives result;
  std::vector<Prediction> at = objective.predict(theta, failure);
  if (!failure.empty()) return {};
  const std::size_t count = at.size();
  const std::vector<ComparedRow> rows = compared_rows(objective.problem(), count);
  result.residual.resize(count);
  result.jacobian.assign(count * n, 0);
  result.noise_unknowns.resize(count);
  for (std::size_t k = 0; k < count; ++k)
    result.residual[k] =
        (on_scale(at[k].value, rows[k].transformation) - rows[k].measured) / at[k].noise;
  for (std::size_t i = 0; i < n; ++i) {
    const double range = unknowns[i].upper - unknowns[i].lower;
    const double h = unknowns[i].scale != Scale::lin ? step
                     : theta[i] != 0                 ? step * std::abs(theta[i])
                                     : step * (std::isfinite(range) && range > 0 ? range : 1.0);
    std::vector<std::vector<Prediction>> beside;
    std::vector<double> places;
    for (double to : {theta[i] - h, theta[i] + h}) {
      std::vector<double> x(theta.begin(), theta.end());
      x[i] = std::clamp(to, unknowns[i].lower, unknowns[i].upper);
      places.push_back(x[i]);
      beside.push_back(objective.predict(x, failure));
      if (!failure.empty()) return {};
    }
    const double apart = places[1] - places[0];
    if (!(apart > 0)) continue;
    for (std::size_t k = 0; k < count; ++k)
      result.jacobian[k * n + i] = (on_scale(beside[1][k].value, rows[k].transformation) -
                                    on_scale(beside[0][k].value, rows[k].transformation)) /
                                   apart / at[k].noise;
  }
  result.predictions = std::move(at);
  return result;
}

}  // namespace stiffit::internal
