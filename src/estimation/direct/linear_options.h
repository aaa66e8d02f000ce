// What the methods along the data are asked for, from the options of a fit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/direct/linear_fit.h"
#include "stiffit/options.h"

namespace stiffit::internal {

// As the option quadrature calls it.
const char* curve_name(Curve curve);

// Throws OptionError.
LinearFitOptions linear_options(const api::FitOptions& options, LinearMethod method);

}  // namespace stiffit::internal
