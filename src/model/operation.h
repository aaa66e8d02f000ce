// Every operation an expression of a model can hold, with its arity and its names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stiffit::internal {

enum class Op : std::uint8_t {
  // leaves
  number,  // a constant
  symbol,  // a reference to something of the model (Ref)
  // one operand
  neg,
  logical_not,
  abs,
  floor,
  ceil,
  sqrt,
  exp,
  ln,
  log10,
  sin,
  cos,
  tan,
  sec,
  csc,
  cot,
  asin,
  acos,
  atan,
  asec,
  acsc,
  acot,
  sinh,
  cosh,
  tanh,
  sech,
  csch,
  coth,
  asinh,
  acosh,
  atanh,
  asech,
  acsch,
  acoth,
  factorial,
  sign,
  // two operands
  add,
  sub,
  mul,
  div,
  pow,
  min,
  max,
  quotient,  // truncated integer division
  rem,       // a - b*quotient(a,b), the sign of a
  lt,
  le,
  gt,
  ge,
  eq,
  ne,
  logical_and,
  logical_or,
  logical_xor,
  implies,
  // three operands
  select,  // a if the condition b holds, else c (one piece of a piecewise)
  // special forms
  call,     // a user function with any number of arguments
  delay,    // delay(x, tau)
  rate_of,  // d/dt of a symbol
};

// Operands of an operation; -1 for `call`.
int arity(Op op);
// The name in text models and messages: "sin", "+", "<=".
std::string_view name_of(Op op);
// The operation of a function name in text models ("sin", "ln", "log10", "min", ...).
std::optional<Op> function_named(std::string_view name);
// True for comparisons and logical operations: the value is 0 or 1.
bool is_boolean(Op op);

// The value of an operation on numbers, as plain C computes it. `b`, `c` are ignored where the
// arity is lower. Booleans are 1 and 0; any non-zero value is true.
double evaluate(Op op, double a, double b = 0, double c = 0);

}  // namespace stiffit::internal
