// Data that go up and down several times: a fit to all of them at once sees little but minima where
// model and data are out of step. Fitted first to the beginning and then to ever more, the model
// stays in step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/fit_problem.h"

namespace stiffit::internal {

// Times up to which the data are to be taken, growing, all of the data not among them; empty if no
// series of measurements turns more than twice, but for noise.
std::vector<double> growing_ends(const FitProblem& problem, std::size_t most = 12);

// The same problem with the measurements until `end`, and those at steady states.
FitProblem until(const FitProblem& problem, double end);

}  // namespace stiffit::internal
