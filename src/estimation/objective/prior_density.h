// Log densities of the prior distributions that PEtab knows, cut off and normalised if asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/fit_problem.h"

namespace stiffit::internal {

struct PriorValue {
  double log_density = 0;
  double slope = 0;      // d log density / d theta
  double curvature = 0;  // minus the second derivative where that is positive, else 0
};

// At a value of the parameter; `scale` is the one it is estimated on. The density is of the value,
// or of theta if the prior says so; outside of its support the logarithm is -infinity.
PriorValue prior_density(const Prior& prior, double value, Scale scale);

}  // namespace stiffit::internal
