// SPDX-License-Identifier: Apache-2.0
#include "workbench/projected_fit.h"

#include <algorithm>
#include <cmath>

#include "fit/trust_region.h"

namespace stiffit {
namespace {

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

LocalFit fit_projected(const ProjectedObjective& projected, const ProblemObjective& whole,
                       std::span<const double> start, const LocalOptions& options) {
  std::vector<double> from(start.begin(), start.end());
  LocalFit outer;
  LocalOptions last = options;
  if (!projected.unknowns().empty()) {
    outer = fit_outer(projected, start, options);
    // At the minimum only a few steps are left; elsewhere the other way may lead on.
    if (outer.outcome == FitOutcome::converged || outer.outcome == FitOutcome::flat)
      last.max_iterations = std::min(options.max_iterations, 50);
  }
  LocalFit fit = fit_trust_region(whole, outer.usable() ? outer.x : from, last);
  fit.start = from;
  if (outer.usable()) fit.start_value = outer.start_value;
  add_counts(fit, outer);
  return fit;
}

}  // namespace

void use_projection(MultiStartOptions& options, const ProjectedObjective& projected,
                    const ProblemObjective& whole) {
  options.method = [&projected, &whole](const Objective&, std::span<const double> start,
                                        const LocalOptions& local) {
    return fit_projected(projected, whole, start, local);
  };
  options.screen = [&projected](std::span<const double> point) {
    return projected.evaluate(outer_of(point, projected.projected()), Need::value);
  };
}

Rung projected_rung(const ProjectedObjective& projected) {
  return {[&projected](std::span<const double> start, const LocalOptions& local) {
            return fit_outer(projected, start, local);
          },
          [&projected](std::span<const double> point) {
            return projected.evaluate(outer_of(point, projected.projected()), Need::value);
          }};
}

}  // namespace stiffit
