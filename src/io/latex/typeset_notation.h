// How a typesetting language writes formulas. The walk over expressions and equations is in
// typesetter.cpp and typeset_equations.cpp; a language gives what they put between the operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "model/operation.h"

namespace stiffit::internal {

// What stands before, between and after operands.
struct TypesetForm {
  std::string_view before = {}, between = {}, after = {};
  bool known() const { return !before.empty() || !between.empty() || !after.empty(); }
};

struct TypesetNotation {
  // Names and numbers.
  std::string (*word)(std::string_view text);      // a Greek letter as such
  std::string (*verbatim)(std::string_view text);  // letter by letter
  std::string (*digits)(std::string_view text);
  std::string (*rate)(const std::string& reaction, const std::string& typeset);  // v, subscripted
  TypesetForm subscript;
  TypesetForm power_of_ten;  // around "10" and its exponent
  std::string_view minus, dot, undefined, infinity, time;

  // Operations. `form`: of those that are neither written between operands nor as functions.
  std::string_view (*sign)(Op op);
  std::string (*function)(Op op);
  TypesetForm (*form)(Op op);
  std::string_view times;  // between factors, unless the right one is a number
  std::string_view opening, closing, comma;
  TypesetForm call;  // before the function's name, between it and its arguments, at the end
  TypesetForm row;   // around what stands alone
  TypesetForm cases, piece, otherwise;  // a piecewise function; each value with its condition

  // Equations.
  std::string_view leading_minus, line_break;  // the latter: after some terms of a sum
  TypesetForm factored;                        // around a sum that has a factor
  TypesetForm reciprocal;
};

extern const TypesetNotation latex_notation, mathml_notation;

// For running text in LaTeX: every character shows itself.
std::string latex_text(std::string_view text);

}  // namespace stiffit::internal
