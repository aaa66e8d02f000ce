// The first pass of the emitter over a tape: what is left to do, and when each value is used next.
//
// Made here, in time linear in the tape:
// - loads of an element whose value is known (loaded or stored before) become that value; of the
//   stores to one element only the last one is kept. So an element is read at most once, before it
//   is written at most once, and in-place updates cost no traffic through memory;
// - pow with a small constant exponent becomes multiplications (see expand_power in the .cpp);
// - values nobody uses are dropped;
// - every operand knows the next instruction that uses its value (for furthest-next-use eviction).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "compile/tape.h"

namespace stiffit::internal {

constexpr std::uint32_t no_use = std::numeric_limits<std::uint32_t>::max();

struct PlannedInstruction {
  Instruction instruction;       // operands are numbers of planned instructions
  int operands = 0;              // how many
  std::array<Value, 3> value{};  // the operands that are values, the store's one included
  std::array<std::uint32_t, 3> next{no_use, no_use, no_use};  // next use of value[k] after this
  std::uint32_t first_use = no_use;  // of the result; no_use: to be skipped, unless a store
  bool overwritten_in_use = false;   // a load whose element is stored to before its last use
};

struct EmitPlan {
  std::vector<PlannedInstruction> code;
  std::vector<double> constants;
  int arrays = 0;
  bool calls = false;  // some instruction calls a function
};

EmitPlan make_emit_plan(const Tape& tape);

// True for the functions that no short sequence of instructions computes.
bool is_called(Op function);

}  // namespace stiffit::internal
