// The PEtab test suite: folders with a problem (_NNNN.yaml), and what it should give
// (_NNNN_solution.yaml): llh, chi2, simulations, each within the tolerance the case states.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ode/options.h"
#include "stiffit/conform.h"

namespace stiffit::internal {

// In the order of the cases. Throws InputError if `folder` holds no case.
std::vector<PetabSuiteResult> conform_petab(const std::string& folder,
                                            const IntegrationOptions& integration);

}  // namespace stiffit::internal
