// What the model says about every measurement, as a PEtab simulation table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

// The measurement table with `simulation` in place of `measurement`, other columns as they were;
// for measurements that came from no such table: observableId, experimentId, time, simulation.
std::string simulation_table(const FitProblem& problem, const std::vector<Prediction>& predictions);

}  // namespace stiffit::internal
