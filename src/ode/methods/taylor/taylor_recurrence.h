// The tape of a right-hand side turned into the tape of its Taylor coefficients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "compile/tape.h"

namespace stiffit::internal {

// The first function of the tape that changes with time and has no recurrence.
std::optional<Op> taylor_obstacle(const Tape& rhs);

// The tape of a jet kernel (TaylorJet) of that order.
Tape write_taylor_tape(const Tape& rhs, int states, int stride, int order);

}  // namespace stiffit::internal
