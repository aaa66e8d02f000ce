// The simplex method of Nelder and Mead (Comput. J. 7 (1965) 308), between bounds and by values
// alone. Its factors follow the number of unknowns (Gao and Han, Comput. Optim. Appl. 51 (2012)
// 259), a trial beyond a bound ends at the bound, and a simplex that has come to rest is not
// believed: a new one is set up around the best point, until one brings nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "estimation/optimizers/local_fit.h"

namespace stiffit::internal {

// An iteration is as many moves as the simplex has corners. Derivatives are asked for at the end
// only, where they say whether the answer is a minimum.
LocalFit fit_nelder_mead(const Objective& objective, std::span<const double> start,
                         const LocalOptions& options);

}  // namespace stiffit::internal
