// Functions of a whole register of lanes, for machine code to call.
//
// One lane: what evaluate() calls. Four and eight lanes: glibc's libmvec (AVX2, AVX-512) wherever
// all lanes lie in the domain in which it is accurate; a lane outside (zero, negative, subnormal,
// huge, infinite, NaN) is computed by scalar libm, so that special values are those of plain C.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/operation.h"

namespace stiffit::internal {

// A function that takes its operands in vector registers 0 (and 1) of `lanes` doubles, 1, 4 or 8,
// and leaves its result in register 0 (System V ABI); null if there is none.
const void* math_function(Op op, int lanes);

// The tables behind it, by the unit that is compiled for each instruction set.
const void* math_function_avx2(Op op);
const void* math_function_avx512(Op op);

}  // namespace stiffit::internal
