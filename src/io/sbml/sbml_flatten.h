// Hierarchical models (SBML comp) made flat by libSBML, reading external definitions from the
// model's own folder and from nowhere else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sbml/SBMLTypes.h>

#include <string>

#include "base/diagnostic.h"

namespace stiffit::internal {

class SbmlPlaces;

// True if the document holds a flat model now (a document without comp is left alone).
bool flatten_sbml(SBMLDocument& document, SbmlPlaces& places, const std::string& folder,
                  Diagnostics& diagnostics);

}  // namespace stiffit::internal
