// The functions and constants a text model may use without defining them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

enum class BuiltinForm : std::uint8_t {
  plain,         // one operation
  folded,        // f(a, b, c) = f(f(a, b), c)
  chained,       // lt(a, b, c) = a < b && b < c
  logarithm,     // log(x) to base 10, log(base, x)
  root,          // root(n, x)
  square,        // sqr(x)
  if_then_else,  // piecewise(value, condition, ..., otherwise)
};

struct Builtin {
  std::string_view name;
  BuiltinForm form = BuiltinForm::plain;
  Op op = Op::number;
  int least = 1, most = 1;  // arguments; most -1: any number
};

std::optional<Builtin> builtin_named(std::string_view name);
std::vector<std::string> builtin_names();
ExprId apply_builtin(const Builtin& builtin, const std::vector<ExprId>& arguments, Span span,
                     Expressions& expressions);

// Draws of a distribution (normal, uniform, ...): known, and refused.
bool is_random_function(std::string_view name);

// pi, exponentiale, avogadro, true, false, inf, nan.
std::optional<double> constant_named(std::string_view name);

}  // namespace stiffit::internal
