// Lanes with a scalar solver each: where a factorisation is long, one lane is factored in a third
// of the time that all of them take side by side (egfr_net, 356 species: 0.38 against 1.0 ms, and a
// solve of four lanes 32 us either way). For methods whose lanes need theirs at different times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "linear/lane_solver.h"

namespace stiffit::internal {

// `plan` is one of a single lane.
std::unique_ptr<LaneSolver> make_scalar_lanes(std::shared_ptr<const LinearPlan> plan,
                                              const Sparsity& pattern, int lanes);

}  // namespace stiffit::internal
