// BioNetGen network files (.net): parameters, functions, species, reactions and groups -> Model.
// Derived parameters and initial amounts stay expressions (InitialAssignment), so that a change of
// a base parameter reaches them; functions are parameters with assignment rules; groups are
// observables; species that begin with $ are constant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "base/diagnostic.h"
#include "model/model.h"

namespace stiffit::internal {

// Nothing if `diagnostics` has errors; it then has all of them.
std::optional<Model> read_bng(const std::shared_ptr<const Source>& source,
                              Diagnostics& diagnostics);

}  // namespace stiffit::internal
