// The same runner as integrate/cvodes_runner.h, on the SUNDIALS that build_sundials has compiled
// for speed: what a speed-up is measured against.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "integrate/cvodes_runner.h"

namespace stiffit {

std::unique_ptr<CvodesRunner> make_optimised_cvodes_runner(const CvodesProblem& problem,
                                                           const CvodesOptions& options);

}  // namespace stiffit
