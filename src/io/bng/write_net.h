// Model -> BioNetGen network (.net): species, mass action and functions of groups. What such a file
// cannot say (events, rate and algebraic rules, volumes, delays, ...) is an error that names it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/written/writing.h"
#include "model/model.h"

namespace stiffit::internal {

// Throws InputError with everything that cannot be said.
Writing write_net(const Model& model);

}  // namespace stiffit::internal
