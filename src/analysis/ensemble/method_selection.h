// How an ensemble is integrated if nobody says: lanes cannot change the method on the way as one
// trajectory can, so the first samples are run in several ways and the cheapest one is taken for
// all. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "ode/simulate.h"

namespace stiffit::internal {

// So many of the requests are run at most; more need not be made.
inline constexpr long pilot_samples = 16;

// `options` as given, or for DOPRI5 or the BDF where the requests take it fewer operations, as
// counted (not timed, so that it is the same on every run) and with the tolerance that gives the
// same accuracy. The BDF is for networks whose LU is most of a step.
IntegrationOptions select_method(const Problem& problem, std::span<const Request> requests,
                                 const IntegrationOptions& options);

}  // namespace stiffit::internal
