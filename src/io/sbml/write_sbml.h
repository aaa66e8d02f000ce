// Model -> SBML Level 3 Version 2, through libSBML. (Version 1 if there are fast reactions, which
// Version 2 no longer has.) Observables become variables of assignment rules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/written/writing.h"
#include "model/model.h"

namespace stiffit::internal {

Writing write_sbml(const Model& model);

}  // namespace stiffit::internal
