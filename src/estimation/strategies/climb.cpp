// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/climb.h"

#include <algorithm>
#include <cmath>

namespace stiffit {
namespace {

constexpr int rung_iterations = 60;
constexpr double rung_tolerance = 1e-3;  // of the value that is still promised
constexpr std::size_t fewest = 2;

struct Climber {
  double value = 0;
  std::vector<double> x;
  bool flat = false;  // what does not move now will not come into step later
};

bool interrupted(const LocalOptions& options) {
  return options.interrupt && options.interrupt->load();
}

}  // namespace

Climb climb(const std::vector<Rung>& rungs, const std::vector<std::vector<double>>& candidates,
            std::size_t field, LocalOptions options) {
  options.max_iterations = std::min(options.max_iterations, rung_iterations);
  options.value_tolerance = std::max(options.value_tolerance, rung_tolerance);
  Climb result;
  std::vector<Climber> climbers;
  for (std::size_t k = 0; k < std::min(field, candidates.size()); ++k)
    climbers.push_back({0, candidates[k], false});
  for (const Rung& rung : rungs) {
    std::vector<Climber> up;
    for (const Climber& climber : climbers) {
      if (interrupted(options)) break;
      LocalFit fit = rung.fit(climber.x, options);
      result.values += fit.values;
      result.gradients += fit.gradients;
      result.failures += fit.failures;
      if (!fit.usable()) continue;
      up.push_back({fit.at.value, std::move(fit.x), fit.outcome == FitOutcome::flat});
    }
    if (up.empty() || interrupted(options)) break;
    std::stable_sort(up.begin(), up.end(), [](const Climber& a, const Climber& b) {
      return a.flat != b.flat ? b.flat : a.value < b.value;
    });
    // Two that came to the same place are one.
    up.erase(std::unique(up.begin(), up.end(),
                         [](const Climber& a, const Climber& b) {
                           return std::fabs(a.value - b.value) < 1e-3;
                         }),
             up.end());
    up.resize(std::min(up.size(), std::max(fewest, (2 * climbers.size() + 2) / 3)));
    climbers = std::move(up);
  }
  for (Climber& climber : climbers) {
    result.reached.push_back(climber.value);
    result.arrived.push_back(std::move(climber.x));
  }
  return result;
}

}  // namespace stiffit
