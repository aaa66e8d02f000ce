// SBML Level 1 to Level 3 Version 2 -> Model, read through libSBML. Hierarchical models (comp) are
// flattened; a flux-balance problem (fbc) is kept in Model::flux_balance; other packages that leave
// the mathematics alone are ignored, and one that does not is an error that names it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/diagnostic.h"
#include "model/model.h"

namespace stiffit::internal {

// Nothing if `diagnostics` has errors; it then has all of them. `folder` is where the file lies:
// external model definitions are read from there (and below) only; empty refuses them.
// `submodel` picks a model definition by its id; where that is an external one, the findings and
// the model's source are about its file. Local parameters are called REACTION.NAME, a
// stoichiometryMath REACTION.stoichiometry.SPECIES.
// `libsbml_seconds` gains the CPU time that libSBML took to parse and flatten.
std::optional<Model> read_sbml(const std::shared_ptr<const Source>& source,
                               Diagnostics& diagnostics, const std::string& folder = {},
                               const std::string& submodel = {}, double* libsbml_seconds = nullptr);

// True if the text looks like XML with an <sbml> root.
bool looks_like_sbml(std::string_view text);

}  // namespace stiffit::internal
