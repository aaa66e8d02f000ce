// Taylor coefficients of a solution as straight-line code: the tape of the right-hand side is
// walked once per order, each operation by the recurrence that gives coefficient k of its result
// from those of its operands (Moore 1966; Jorba and Zou, Experimental Mathematics 14 (2005) 99).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "compile/program.h"

namespace stiffit::internal {

// The arrays of a jet kernel, all [element][lane]. Coefficient k of state i is the derivative times
// scale^k/k!, at element k * stride + i.
struct TaylorJet {
  enum Array { time, states, parameters, scale, coefficients, arrays };
  static int stride(int states, int lanes);
};

// Why there is no such code for this program; empty: there is.
std::string taylor_refusal(const Program& program);

// Coefficients 0 to `order` of every state. Kept for programs in use; shared by threads.
Kernel taylor_jet(const std::shared_ptr<const Program>& program, int order);

}  // namespace stiffit::internal
