// CVODES of SUNDIALS as one of the methods, one trajectory after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/driver.h"

namespace stiffit {

void run_cvodes(const Problem& problem, const IntegrationOptions& options, WorkQueue& queue);

}  // namespace stiffit
