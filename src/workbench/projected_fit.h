// A descent over the unknowns that the states depend on; scales, offsets and noise levels follow
// inside (variable projection). It ends with a few steps over all unknowns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fit/multi_start.h"
#include "objective/projected_objective.h"

namespace stiffit {

// Sets method and screening of `options` so that starts of the whole problem are fitted this way.
// Both objects must live as long as the options.
void use_projection(MultiStartOptions& options, const ProjectedObjective& projected,
                    const ProblemObjective& whole);

// The same as a step towards a harder problem, without the steps over all unknowns.
Rung projected_rung(const ProjectedObjective& projected);

}  // namespace stiffit
