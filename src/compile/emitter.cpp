// SPDX-License-Identifier: Apache-2.0
#include "compile/kernel.h"

namespace stiffit {

Kernel emit(const Tape& tape, int lanes, Isa) { return interpret(tape, lanes); }

}  // namespace stiffit
