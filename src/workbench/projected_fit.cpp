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

LocalFit fit_projected(const ProjectedObjective& projected, const ProblemObjective& whole,
                       std::span<const double> start, const LocalOptions& options) {
  std::vector<double> outer = outer_of(start, projected.projected());
  std::vector<double> from(start.begin(), start.end());
  LocalFit inside;
  if (!outer.empty()) {
    inside = fit_trust_region(projected, outer, options);
    if (inside.usable()) outer = inside.x;
  }
  std::string failure;
  std::vector<double> complete = projected.complete(outer, failure);
  LocalFit fit = fit_trust_region(whole, failure.empty() ? complete : from, options);
  fit.start = from;
  if (inside.usable()) fit.start_value = inside.start_value;
  add_counts(fit, inside);
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

}  // namespace stiffit
