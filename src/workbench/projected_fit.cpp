// SPDX-License-Identifier: Apache-2.0
#include "workbench/projected_fit.h"

#include <algorithm>
#include <cmath>

#include "fit/trust_region.h"

namespace stiffit {
namespace {

constexpr double rough_value_tolerance = 1e-4;
constexpr int short_descent = 50;

// The part of a point of the whole problem that is left outside.
std::vector<double> outer_of(std::span<const double> whole, const std::vector<int>& inner) {
  std::vector<double> outer;
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (std::find(inner.begin(), inner.end(), static_cast<int>(i)) == inner.end())
      outer.push_back(whole[i]);
  return outer;
}

void add_counts(LocalFit& to, const LocalFit& from) {
  to.iterations += from.iterations;
  to.values += from.values;
  to.gradients += from.gradients;
  to.failures += from.failures;
  if (to.last_failure.empty()) to.last_failure = from.last_failure;
}

// The descent over what is left outside; its x has all unknowns, its derivatives have not.
LocalFit fit_outer(const ProjectedObjective& projected, std::span<const double> start,
                   const LocalOptions& options) {
  LocalFit fit = fit_trust_region(projected, outer_of(start, projected.projected()), options);
  std::string failure;
  fit.x = projected.complete(fit.x, failure);
  fit.start.assign(start.begin(), start.end());
  if (!failure.empty()) fit.outcome = FitOutcome::failed;
  return fit;
}

// A sampled start goes down by rough integrations first: far from the minimum they serve as well.
LocalFit fit_projected(const FitLevels& levels, std::span<const double> start,
                       const LocalOptions& options) {
  std::vector<double> at(start.begin(), start.end());
  LocalFit total;
  bool down = false;
  double start_value = std::nan("");
  auto descend = [&](const ProjectedObjective& objective, const LocalOptions& own) {
    if (objective.unknowns().empty()) return;
    LocalFit fit = fit_outer(objective, at, own);
    add_counts(total, fit);
    if (std::isnan(start_value)) start_value = fit.start_value;
    if (fit.usable()) at = fit.x;
    down = fit.outcome == FitOutcome::converged || fit.outcome == FitOutcome::flat;
  };
  LocalOptions own = options;
  if (levels.rough) {
    own.value_tolerance = std::max(own.value_tolerance, rough_value_tolerance);
    descend(*levels.rough, own);
    own.value_tolerance = options.value_tolerance;
    own.max_iterations = std::max(short_descent, options.max_iterations - total.iterations);
  }
  descend(*levels.projected, own);
  // At the minimum only a few steps are left; elsewhere the other way may lead on.
  own.max_iterations = down ? std::min(short_descent, options.max_iterations)
                            : std::max(short_descent, options.max_iterations - total.iterations);
  LocalFit fit = fit_trust_region(*levels.whole, at, own);
  fit.start.assign(start.begin(), start.end());
  if (!std::isnan(start_value)) fit.start_value = start_value;
  add_counts(fit, total);
  return fit;
}

Rung rung_of(const ProjectedObjective& objective) {
  return {[&objective](std::span<const double> start, const LocalOptions& local) {
            return fit_outer(objective, start, local);
          },
          [&objective](std::span<const double> point) {
            return objective.evaluate(outer_of(point, objective.projected()), Need::value);
          }};
}

}  // namespace

void use_projection(MultiStartOptions& options, const FitLevels& levels) {
  options.method = [levels](const Objective&, std::span<const double> start,
                            const LocalOptions& local) {
    return fit_projected(levels, start, local);
  };
  options.screen = rung_of(levels.rough ? *levels.rough : *levels.projected).screen;
  options.rungs.clear();
  for (const ProjectedObjective* easier : levels.easier) options.rungs.push_back(rung_of(*easier));
}

}  // namespace stiffit
