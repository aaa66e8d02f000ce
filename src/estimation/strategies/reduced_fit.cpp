// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/reduced_fit.h"

#include <algorithm>

#include "estimation/optimizers/trust_region.h"

namespace stiffit::internal {

std::vector<double> reduced_point(std::span<const double> whole, const std::vector<int>& inner) {
  std::vector<double> outer;
  for (std::size_t i = 0; i < whole.size(); ++i)
    if (std::find(inner.begin(), inner.end(), static_cast<int>(i)) == inner.end())
      outer.push_back(whole[i]);
  return outer;
}

LocalFit fit_reduced(const ProjectedObjective& projected, std::span<const double> start,
                     const LocalOptions& options) {
  LocalOptions own = options;
  if (options.on_step)
    own.on_step = [&](std::span<const double> x, double value) {
      std::string trouble;
      const std::vector<double> all = projected.complete(x, trouble);
      if (trouble.empty()) options.on_step(all, value);
    };
  LocalFit fit = fit_trust_region(projected, reduced_point(start, projected.projected()), own);
  std::string failure;
  fit.x = projected.complete(fit.x, failure);
  fit.start.assign(start.begin(), start.end());
  if (!failure.empty()) fit.outcome = FitOutcome::failed;
  return fit;
}

void add_counts(LocalFit& to, const LocalFit& from) {
  to.iterations += from.iterations;
  to.values += from.values;
  to.gradients += from.gradients;
  to.failures += from.failures;
  if (to.last_failure.empty()) to.last_failure = from.last_failure;
}

}  // namespace stiffit::internal
