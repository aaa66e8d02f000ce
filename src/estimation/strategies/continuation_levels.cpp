// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/continuation_levels.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

constexpr int level_iterations = 60;
constexpr double level_tolerance = 1e-3;  // of the value that is still promised
constexpr std::size_t fewest = 2;

struct Survivor {
  double value = 0;
  std::vector<double> x;
  bool flat = false;  // what does not move now will not come into step later
};

bool interrupted(const LocalOptions& options) {
  return options.interrupt && options.interrupt->load();
}

}  // namespace

ContinuationResult run_continuation(const std::vector<ContinuationLevel>& levels,
                                    const std::vector<std::vector<double>>& candidates,
                                    std::size_t candidate_pool, LocalOptions options) {
  options.max_iterations = std::min(options.max_iterations, level_iterations);
  options.value_tolerance = std::max(options.value_tolerance, level_tolerance);
  ContinuationResult result;
  std::vector<Survivor> survivors;
  for (std::size_t k = 0; k < std::min(candidate_pool, candidates.size()); ++k)
    survivors.push_back({0, candidates[k], false});
  for (const ContinuationLevel& level : levels) {
    std::vector<Survivor> up;
    for (const Survivor& survivor : survivors) {
      if (interrupted(options)) break;
      LocalFit fit = level.fit(survivor.x, options);
      result.values += fit.values;
      result.gradients += fit.gradients;
      result.failures += fit.failures;
      if (!fit.usable()) continue;
      up.push_back({fit.at.value, std::move(fit.x), fit.outcome == FitOutcome::flat});
    }
    if (up.empty() || interrupted(options)) break;
    std::stable_sort(up.begin(), up.end(), [](const Survivor& a, const Survivor& b) {
      return a.flat != b.flat ? b.flat : a.value < b.value;
    });
    // Two that came to the same place are one.
    up.erase(std::unique(up.begin(), up.end(),
                         [](const Survivor& a, const Survivor& b) {
                           return std::fabs(a.value - b.value) < 1e-3;
                         }),
             up.end());
    up.resize(std::min(up.size(), std::max(fewest, (2 * survivors.size() + 2) / 3)));
    survivors = std::move(up);
  }
  for (Survivor& survivor : survivors) {
    result.reached.push_back(survivor.value);
    result.arrived.push_back(std::move(survivor.x));
  }
  return result;
}

}  // namespace stiffit::internal
