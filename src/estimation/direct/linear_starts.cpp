// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/linear_starts.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

// The estimates of one linear fit, by parameter of the problem; NaN where it gives none.
std::vector<double> estimates(const FitProblem& problem, LinearMethod method) {
  LinearFitOptions options;
  options.method = method;
  options.curve = Curve::smooth;
  const LinearFit fit(problem, options);
  const LinearFitResult result = fit.solve({}, false);
  std::vector<double> values(problem.parameters.size(), std::nan(""));
  for (std::size_t u = 0; u < fit.unknowns().size(); ++u)
    values[fit.unknowns()[u]] = result.values(u);
  return values;
}

}  // namespace

std::vector<std::vector<double>> linear_starts(const FitProblem& problem,
                                               const std::vector<EstimatedParameter>& unknowns,
                                               std::span<const LinearMethod> methods) {
  std::vector<std::vector<double>> found;
  for (LinearMethod method : methods) found.push_back(estimates(problem, method));
  if (found.size() == 2) {
    // One tends to be too large, the other too small.
    std::vector<double> mean = found[0];
    for (std::size_t p = 0; p < mean.size(); ++p) mean[p] = (mean[p] + found[1][p]) / 2;
    found.insert(found.begin(), std::move(mean));
  }
  std::vector<std::vector<double>> starts;
  for (const std::vector<double>& values : found) {
    std::vector<double> point;
    std::size_t u = 0;
    for (std::size_t p = 0; p < problem.parameters.size(); ++p) {
      if (!problem.parameters[p].estimated) continue;
      const EstimatedParameter& unknown = unknowns[u++];
      const double value = values[p];
      double theta = unknown.scale != Scale::lin && !(value > 0) ? std::nan("")
                                                                 : to_theta(value, unknown.scale);
      if (!(theta > unknown.lower && theta < unknown.upper)) theta = unknown.start;
      if (std::isnan(theta)) {
        if (std::isnan(value))
          throw InputError("error: a linear fit gives no value for " + unknown.id +
                           ", and there is no nominal one");
        theta = unknown.scale != Scale::lin && !(value > 0)
                    ? unknown.lower
                    : std::clamp(to_theta(value, unknown.scale), unknown.lower, unknown.upper);
      }
      point.push_back(theta);
    }
    starts.push_back(std::move(point));
  }
  return starts;
}

}  // namespace stiffit::internal
