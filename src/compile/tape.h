// The one straight-line form of every function that runs: right-hand sides, Jacobians, LU, solves,
// event roots, observables. Values are numbered by the instruction that makes them (SSA); memory is
// reached only by load and store, on numbered arrays of the layout [element][lane].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/operation.h"

namespace stiffit::internal {

enum class TapeOp : std::uint8_t {
  constant,  // value = constants[a]
  load,      // value = array a, element b
  store,     // array a, element b = value c
  // arithmetic on values a, b, c
  add,
  sub,
  mul,
  div,
  neg,
  fma,    // a*b + c
  fms,    // a*b - c
  fnma,   // c - a*b
  apply,  // the operation `function` of (a, b, c): everything of Op that is not above
};

using Value = std::uint32_t;

struct Instruction {
  TapeOp op = TapeOp::constant;
  Op function = Op::number;  // of `apply`
  std::uint32_t a = 0, b = 0, c = 0;
};

struct Tape {
  std::vector<Instruction> code;
  std::vector<double> constants;
  int arrays = 0;  // arrays are 0 .. arrays-1

  Value constant(double value);  // each distinct constant once
  Value load(int array, int element);
  void store(int array, int element, Value value);
  Value add(Value a, Value b) { return push({TapeOp::add, Op::number, a, b, 0}); }
  Value sub(Value a, Value b) { return push({TapeOp::sub, Op::number, a, b, 0}); }
  Value mul(Value a, Value b) { return push({TapeOp::mul, Op::number, a, b, 0}); }
  Value div(Value a, Value b) { return push({TapeOp::div, Op::number, a, b, 0}); }
  Value neg(Value a) { return push({TapeOp::neg, Op::number, a, 0, 0}); }
  Value fma(Value a, Value b, Value c) { return push({TapeOp::fma, Op::number, a, b, c}); }
  Value fms(Value a, Value b, Value c) { return push({TapeOp::fms, Op::number, a, b, c}); }
  Value fnma(Value a, Value b, Value c) { return push({TapeOp::fnma, Op::number, a, b, c}); }
  Value apply(Op function, Value a, Value b = 0, Value c = 0) {
    return push({TapeOp::apply, function, a, b, c});
  }

 private:
  Value push(Instruction instruction) {
    code.push_back(instruction);
    return static_cast<Value>(code.size() - 1);
  }
  void grow_slots();
  std::vector<std::uint32_t> constant_slots_;  // open-addressing index of `constants`, see tape.cpp
  std::vector<Value> constant_values_;         // the instruction that makes constants[k]
};

// How many operands of the instruction are values: a, then b, then c, except that the one value of
// a store is c.
int operand_count(const Instruction& instruction);

}  // namespace stiffit::internal
