// What a model says in place of each measurement, as the simulation table of PEtab.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "model/fit_problem.h"

namespace stiffit::internal {

// Tab-separated: the rows and columns of the measurement table, with `simulation` for
// `measurement`. `simulated` has a value for each measurement, in their order; with parts, by
// Measurement::row. A problem that is not from PEtab is written in the form of version 1.
std::string simulation_table(const FitProblem& problem, std::span<const double> simulated);

}  // namespace stiffit::internal
