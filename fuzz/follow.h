// What a run does with a model once it is read: equations, a look at the start, code, a few steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model.h"

namespace stiffit {

// Models that are not small are left after the equations.
void follow_model(Model model);

}  // namespace stiffit
