// The objectives that a start meets on its way to a minimum, from the easiest to the problem
// itself. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "estimation/objective/projected_objective.h"
#include "estimation/optimizers/optimizer.h"
#include "estimation/strategies/shooting_fit.h"

namespace stiffit::internal {

struct LevelOptions {
  ObjectiveOptions objective;
  bool projection = true;  // linear unknowns are solved for inside
  bool growing = true;     // sampled starts see the beginning of oscillating data first
  bool sampled = false;    // also if not: where an unknown has no start
};

struct ObjectiveLevels {
  std::shared_ptr<const ProblemObjective> whole;  // all unknowns
  // Without the unknowns that are solved for inside (variable projection); null: not wanted.
  std::unique_ptr<const ProjectedObjective> reduced;
  std::unique_ptr<const ProjectedObjective> rough;  // by rough integrations; null: none
  std::vector<std::unique_ptr<const ProjectedObjective>> growing;  // ever more of the data, rough
  std::unique_ptr<const ShootingFit> shooting;                     // null: none
  bool shoot_first = false;                                        // every start, given ones too
};

// What a method of these traits descends over. Throws InputError if nothing is unknown, there are
// no data, or the problem does not suit the method.
std::shared_ptr<const ObjectiveLevels> objective_levels(FitProblem problem,
                                                        const OptimizerTraits& method,
                                                        const LevelOptions& options);

}  // namespace stiffit::internal
