// Stiffit as a library: all of it, by names like stiffit::Model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stiffit/integrate.h"
#include "stiffit/lists.h"
#include "stiffit/problem.h"
#include "stiffit/reading.h"

namespace stiffit {

// The library itself never includes this: there, such names mean its own parts.
using namespace api;

}  // namespace stiffit
