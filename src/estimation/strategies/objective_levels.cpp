// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/objective_levels.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/option_error.h"
#include "estimation/strategies/growing_data.h"

namespace stiffit::internal {
namespace {

// Of the integrations that sampled starts are screened and first fitted by.
constexpr double rough_rtol = 1e-5;
// A point that needs more is not worth its time; there are others.
constexpr long rough_steps = 10000;
// Of those that populations are compared by.
constexpr double population_rtol = 1e-6;

void require_something_to_fit(const ProblemObjective& objective) {
  if (objective.unknowns().empty())
    throw InputError("error: nothing is to be estimated in this problem");
  if (objective.data_count() == 0) throw InputError("error: this problem has no data");
}

void require_suitable(const OptimizerTraits& method, const ProblemObjective& objective) {
  if (method.residuals && !objective.least_squares())
    throw InputError("error: method " + std::string(method.name) +
                     " is for least squares with noise that is known up to a factor; this problem "
                     "has other noise, noise parameters or priors\n  " +
                     option("method") + " " + std::string(default_optimizer().traits.name) +
                     " serves it");
}

std::unique_ptr<const ProjectedObjective> population_level(FitProblem problem,
                                                           const LevelOptions& options) {
  ObjectiveOptions rough = options.objective;
  rough.integration.rtol = std::max(rough.integration.rtol, population_rtol);
  rough.derivatives = false;
  return std::make_unique<const ProjectedObjective>(
      std::make_shared<const ProblemObjective>(std::move(problem), rough), options.projection);
}

void add_staged_levels(ObjectiveLevels& levels, const FitProblem& problem,
                       const OptimizerTraits& method, const LevelOptions& options) {
  const std::vector<EstimatedParameter>& unknowns = levels.whole->unknowns();
  const bool sampled = options.sampled ||
                       std::any_of(unknowns.begin(), unknowns.end(),
                                   [](const EstimatedParameter& u) { return std::isnan(u.start); });
  levels.reduced = std::make_unique<const ProjectedObjective>(levels.whole);
  ObjectiveOptions rough = options.objective;
  rough.integration.rtol = std::max(rough.integration.rtol, rough_rtol);
  rough.integration.max_steps = std::min(rough.integration.max_steps, rough_steps);
  auto roughly = [&](FitProblem part) {
    return std::make_unique<const ProjectedObjective>(
        std::make_shared<const ProblemObjective>(std::move(part), rough));
  };
  if (sampled || method.shooting) levels.rough = roughly(problem);
  levels.shoot_first = method.shooting;
  if (method.shooting) {
    levels.shooting = ShootingFit::make(problem, cut_times(problem), rough, *levels.rough);
    if (!levels.shooting)
      throw InputError("error: method " + std::string(method.name) +
                       " is for models without events, delays, algebraic rules and fast reactions, "
                       "and experiments of one period with several times of measurement\n  " +
                       option("method") + " " + std::string(default_optimizer().traits.name) +
                       " serves this problem");
  } else if (sampled && options.growing) {
    for (double end : growing_ends(problem)) levels.growing.push_back(roughly(until(problem, end)));
    if (!levels.growing.empty())
      levels.shooting = ShootingFit::make(problem, cut_times(problem), rough, *levels.rough);
  }
}

}  // namespace

std::shared_ptr<const ObjectiveLevels> objective_levels(FitProblem problem,
                                                        const OptimizerTraits& method,
                                                        const LevelOptions& options) {
  auto levels = std::make_shared<ObjectiveLevels>();
  const bool staged = method.staged && options.projection;
  const FitProblem again = staged || method.population ? problem : FitProblem();
  levels->whole = std::make_shared<const ProblemObjective>(std::move(problem), options.objective);
  require_something_to_fit(*levels->whole);
  require_suitable(method, *levels->whole);
  if (method.population) levels->rough = population_level(again, options);
  if (staged) add_staged_levels(*levels, again, method, options);
  return levels;
}

}  // namespace stiffit::internal
