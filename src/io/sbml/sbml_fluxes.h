// The flux-balance problem of a model as SBML's fbc package, version 2.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sbml/SBMLTypes.h>

#include "io/written/exact_numbers.h"
#include "io/written/written_names.h"

namespace stiffit::internal {

// The package must be known to the document before the reactions are made.
void enable_fluxes(SBMLDocument& document);
// After the reactions: their bounds, as parameters, and the objectives.
void write_fluxes(const Model& model, WrittenNames& names, ExactNumbers& numbers, ::Model& into);

}  // namespace stiffit::internal
