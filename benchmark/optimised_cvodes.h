// The same runner as integrate/cvodes_runner.h, on the SUNDIALS that build_sundials has compiled
// for speed: what a speed-up is measured against. Two builds, the faster one of which counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ode/methods/cvodes/cvodes_runner.h"

namespace stiffit::internal {

std::unique_ptr<CvodesRunner> make_cvodes_runner_o3(const CvodesProblem& problem,
                                                    const CvodesOptions& options);
std::unique_ptr<CvodesRunner> make_cvodes_runner_o2(const CvodesProblem& problem,
                                                    const CvodesOptions& options);

}  // namespace stiffit::internal
