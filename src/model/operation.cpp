// SPDX-License-Identifier: Apache-2.0
#include "model/operation.h"

#include <array>
#include <cmath>
#include <limits>

namespace stiffit::internal {
namespace {

struct Row {
  Op op;
  int arity;
  std::string_view name;
  bool function;  // callable by that name
};

constexpr std::array rows{
    Row{Op::number, 0, "number", false},
    Row{Op::symbol, 0, "symbol", false},
    Row{Op::neg, 1, "-", false},
    Row{Op::logical_not, 1, "not", true},
    Row{Op::abs, 1, "abs", true},
    Row{Op::floor, 1, "floor", true},
    Row{Op::ceil, 1, "ceil", true},
    Row{Op::sqrt, 1, "sqrt", true},
    Row{Op::exp, 1, "exp", true},
    Row{Op::ln, 1, "ln", true},
    Row{Op::log10, 1, "log10", true},
    Row{Op::sin, 1, "sin", true},
    Row{Op::cos, 1, "cos", true},
    Row{Op::tan, 1, "tan", true},
    Row{Op::sec, 1, "sec", true},
    Row{Op::csc, 1, "csc", true},
    Row{Op::cot, 1, "cot", true},
    Row{Op::asin, 1, "asin", true},
    Row{Op::acos, 1, "acos", true},
    Row{Op::atan, 1, "atan", true},
    Row{Op::asec, 1, "asec", true},
    Row{Op::acsc, 1, "acsc", true},
    Row{Op::acot, 1, "acot", true},
    Row{Op::sinh, 1, "sinh", true},
    Row{Op::cosh, 1, "cosh", true},
    Row{Op::tanh, 1, "tanh", true},
    Row{Op::sech, 1, "sech", true},
    Row{Op::csch, 1, "csch", true},
    Row{Op::coth, 1, "coth", true},
    Row{Op::asinh, 1, "asinh", true},
    Row{Op::acosh, 1, "acosh", true},
    Row{Op::atanh, 1, "atanh", true},
    Row{Op::asech, 1, "asech", true},
    Row{Op::acsch, 1, "acsch", true},
    Row{Op::acoth, 1, "acoth", true},
    Row{Op::factorial, 1, "factorial", true},
    Row{Op::sign, 1, "sign", true},
    Row{Op::add, 2, "+", false},
    Row{Op::sub, 2, "-", false},
    Row{Op::mul, 2, "*", false},
    Row{Op::div, 2, "/", false},
    Row{Op::pow, 2, "pow", true},
    Row{Op::min, 2, "min", true},
    Row{Op::max, 2, "max", true},
    Row{Op::quotient, 2, "quotient", true},
    Row{Op::rem, 2, "rem", true},
    Row{Op::lt, 2, "<", false},
    Row{Op::le, 2, "<=", false},
    Row{Op::gt, 2, ">", false},
    Row{Op::ge, 2, ">=", false},
    Row{Op::eq, 2, "==", false},
    Row{Op::ne, 2, "!=", false},
    Row{Op::logical_and, 2, "&&", false},
    Row{Op::logical_or, 2, "||", false},
    Row{Op::logical_xor, 2, "xor", true},
    Row{Op::implies, 2, "implies", true},
    Row{Op::select, 3, "piecewise", false},
    Row{Op::call, -1, "call", false},
    Row{Op::delay, 2, "delay", true},
    Row{Op::rate_of, 1, "rateOf", true},
};

constexpr bool rows_in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].op) != i) return false;
  return true;
}
static_assert(rows_in_order());

const Row& row(Op op) { return rows[static_cast<std::size_t>(op)]; }

}  // namespace

int arity(Op op) { return row(op).arity; }
std::string_view name_of(Op op) { return row(op).name; }

std::optional<Op> function_named(std::string_view name) {
  for (const Row& r : rows)
    if (r.function && r.name == name) return r.op;
  return std::nullopt;
}

bool is_boolean(Op op) { return op == Op::logical_not || (op >= Op::lt && op <= Op::implies); }

double evaluate(Op op, double a, double b, double c) {
  auto truth = [](bool value) { return value ? 1.0 : 0.0; };
  switch (op) {
    case Op::neg:
      return -a;
    case Op::logical_not:
      return truth(a == 0);
    case Op::abs:
      return std::fabs(a);
    case Op::floor:
      return std::floor(a);
    case Op::ceil:
      return std::ceil(a);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::ln:
      return std::log(a);
    case Op::log10:
      return std::log10(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::sec:
      return 1 / std::cos(a);
    case Op::csc:
      return 1 / std::sin(a);
    case Op::cot:
      return 1 / std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::asec:
      return std::acos(1 / a);
    case Op::acsc:
      return std::asin(1 / a);
    case Op::acot:
      return std::atan(1 / a);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::sech:
      return 1 / std::cosh(a);
    case Op::csch:
      return 1 / std::sinh(a);
    case Op::coth:
      return 1 / std::tanh(a);
    case Op::asinh:
      return std::asinh(a);
    case Op::acosh:
      return std::acosh(a);
    case Op::atanh:
      return std::atanh(a);
    case Op::asech:
      return std::acosh(1 / a);
    case Op::acsch:
      return std::asinh(1 / a);
    case Op::acoth:
      return std::atanh(1 / a);
    case Op::factorial:
      return std::tgamma(a + 1);
    case Op::sign:
      return a > 0 ? 1.0 : a < 0 ? -1.0 : a;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::pow:
      return std::pow(a, b);
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return b > a ? b : a;
    case Op::quotient:
      return std::trunc(a / b);
    case Op::rem:
      return std::fmod(a, b);
    case Op::lt:
      return truth(a < b);
    case Op::le:
      return truth(a <= b);
    case Op::gt:
      return truth(a > b);
    case Op::ge:
      return truth(a >= b);
    case Op::eq:
      return truth(a == b);
    case Op::ne:
      return truth(a != b);
    case Op::logical_and:
      return truth(a != 0 && b != 0);
    case Op::logical_or:
      return truth(a != 0 || b != 0);
    case Op::logical_xor:
      return truth((a != 0) != (b != 0));
    case Op::implies:
      return truth(a == 0 || b != 0);
    case Op::select:
      return b != 0 ? a : c;
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace stiffit::internal
