// The machine code of a tape, before it is put where it can run. Apart from emit() so that tests
// can look at code this CPU cannot run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__x86_64__)

#include <asmjit/x86.h>

#include "compile/kernel.h"

namespace stiffit::internal {

// Fills `code`, which must be initialised and empty; returns the offset of the entry.
std::size_t assemble(const Tape& tape, int lanes, Isa isa, asmjit::CodeHolder& code);

}  // namespace stiffit::internal

#endif
