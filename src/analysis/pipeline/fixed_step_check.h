// Whether fixed steps were within what their method bears: h times the eigenvalues along a solution
// whose steps follow a tolerance, against the method's own region of stability.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ode/simulate.h"

namespace stiffit::internal {

// Adds a note where steps are too long, and makes the outcome `unstable` where the result has blown
// up for it.
void judge_fixed_steps(const Problem& problem, const Request& request,
                       const IntegrationOptions& options, Trajectory& run,
                       std::vector<std::string>& notes);

}  // namespace stiffit::internal
