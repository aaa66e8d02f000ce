// A staged descent: over the unknowns that the states depend on, while scales, offsets and noise
// levels follow inside (variable projection), by rough integrations first where the start was
// sampled. It ends with a few steps over all unknowns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/strategies/multi_start.h"
#include "estimation/strategies/objective_levels.h"

namespace stiffit::internal {

// `options` with the method, screening and continuation levels by which starts of the whole problem
// are fitted this way.
MultiStartOptions with_staged_descent(MultiStartOptions options,
                                      std::shared_ptr<const ObjectiveLevels> levels);

}  // namespace stiffit::internal
