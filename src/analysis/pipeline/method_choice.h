// The integrator that a run asks for, and whether it can do what is asked of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ode/method_registry.h"

namespace stiffit::internal {

// The integrator of that name; OptionError with the nearest one if there is none.
const MethodEntry& named_method(const std::string& name);

// Whether the method goes with steps of a fixed size, where one is given, or without. Throws
// OptionError.
void require_suitable_step(const MethodEntry& method, bool step_given);
// Only some methods give sensitivities. Throws OptionError.
void require_sensitivities(const std::string& method);

}  // namespace stiffit::internal
