// Do the units of a model agree? Works on the model, whatever language it was written in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/diagnostic.h"
#include "model/model.h"

namespace stiffit::internal {

// Warnings, with both units: sums and comparisons of different units, rules and assignments whose
// sides differ, rates that are not substance per time, delays that are no times, and functions of
// what has a dimension. Numbers and names without a unit fit everywhere.
void check_units(const Model& model, Diagnostics& diagnostics);

}  // namespace stiffit::internal
