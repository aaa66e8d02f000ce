// Is the model sound where it starts? A division by zero at t0 is a mistake in the model, to be
// named with its place, not a failure of an integrator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostic.h"
#include "model/model.h"
#include "symbolic/system.h"

namespace stiffit::internal {

// Reports every initial value and every rate that is not finite at the start time and is needed by
// something that is integrated, with the names it comes through; one warning tells what else has no
// value there.
void check_start(const Model& model, ResolvedSystem& resolved, Diagnostics& diagnostics);

// The same; throws InputError if there is an error, else returns the warning, rendered.
std::string require_sound_start(const Model& model, ResolvedSystem& resolved);

}  // namespace stiffit::internal
