// Modes by what holds at a state, for whoever evaluates equations without following a trajectory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program.h"
#include "symbolic/mode_value.h"

namespace stiffit::internal {

// Sets the modes among `parameters` (one lane) and what is derived from them. True if any changed.
// `roots` is scratch for one number per mode.
bool settle_modes(const Program& program, double time, double* states, double* parameters,
                  double* roots);

}  // namespace stiffit::internal
