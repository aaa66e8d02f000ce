// How an ensemble is integrated if nobody says: lanes cannot change the method on the way as one
// trajectory can, so the first samples are run both ways and the cheaper one is taken for all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "integrate/simulate.h"

namespace stiffit {

// `options` as given, or for DOPRI5 where the requests take it fewer operations, as counted (not
// timed, so that it is the same on every run) and with the tolerance that gives the same accuracy.
IntegrationOptions pilot(const Problem& problem, std::span<const Request> requests,
                         const IntegrationOptions& options);

}  // namespace stiffit
