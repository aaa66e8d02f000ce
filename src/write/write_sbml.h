// Model -> SBML Level 3 Version 2, through libSBML. (Version 1 if there are fast reactions, which
// Version 2 no longer has.) Observables become variables of assignment rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/model.h"
#include "write/writing.h"

namespace stiffit {

Writing write_sbml(const Model& model);

}  // namespace stiffit
