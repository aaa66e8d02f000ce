// A descent over the unknowns that the states depend on; scales, offsets and noise levels follow
// inside (variable projection). It ends with a few steps over all unknowns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/projected_objective.h"
#include "estimation/strategies/multi_start.h"
#include "workbench/shooting_fit.h"

namespace stiffit {

// The objectives that a start meets on its way.
struct FitLevels {
  std::vector<const ProjectedObjective*> easier;  // parts of the data that grow
  const ProjectedObjective* rough = nullptr;      // all data, rough integrations; null: none
  const ProjectedObjective* projected = nullptr;
  const ProblemObjective* whole = nullptr;  // all unknowns
  const ShootingFit* shooting = nullptr;    // null: none
  bool shoot_first = false;                 // every start, the given ones too
};

// Sets method, screening and ladders of `options` so that starts of the whole problem are fitted
// this way. The objectives must live as long as the options.
void use_projection(MultiStartOptions& options, const FitLevels& levels);

}  // namespace stiffit
