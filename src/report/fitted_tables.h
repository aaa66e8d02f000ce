// Measurements beside their simulations, and fitted curves, as tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/fitted_data.h"

namespace stiffit::internal {

std::string fitted_data_csv(const std::vector<FittedDatum>& data);
std::string fitted_curves_csv(const FittedCurves& curves);

}  // namespace stiffit::internal
