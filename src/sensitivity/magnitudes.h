// How large each state becomes, from a run that need not be accurate: the scale of the absolute
// tolerances. Without it, a derivative that grows from zero would have to be followed with its own
// relative accuracy from the first moment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "integrate/simulate.h"

namespace stiffit {

// Of the whole run, [state]. Empty if nothing is scaled by it, or the run fails.
std::vector<double> state_magnitudes(const Problem& problem, const Request& request,
                                     const IntegrationOptions& options);

}  // namespace stiffit
