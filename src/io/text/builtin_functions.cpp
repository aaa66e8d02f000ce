// SPDX-License-Identifier: Apache-2.0
#include "io/text/builtin_functions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <numbers>

namespace stiffit::internal {
namespace {

using enum BuiltinForm;

constexpr std::array builtins{
    Builtin{"log", logarithm, Op::log10, 1, 2},
    Builtin{"root", BuiltinForm::root, Op::pow, 2, 2},
    Builtin{"sqr", square, Op::mul, 1, 1},
    Builtin{"piecewise", if_then_else, Op::select, 1, -1},
    Builtin{"min", folded, Op::min, 1, -1},
    Builtin{"max", folded, Op::max, 1, -1},
    Builtin{"and", folded, Op::logical_and, 1, -1},
    Builtin{"or", folded, Op::logical_or, 1, -1},
    Builtin{"xor", folded, Op::logical_xor, 1, -1},
    Builtin{"plus", folded, Op::add, 1, -1},
    Builtin{"times", folded, Op::mul, 1, -1},
    Builtin{"minus", plain, Op::sub, 2, 2},
    Builtin{"divide", plain, Op::div, 2, 2},
    Builtin{"power", plain, Op::pow, 2, 2},
    Builtin{"lt", chained, Op::lt, 2, -1},
    Builtin{"leq", chained, Op::le, 2, -1},
    Builtin{"gt", chained, Op::gt, 2, -1},
    Builtin{"geq", chained, Op::ge, 2, -1},
    Builtin{"eq", chained, Op::eq, 2, -1},
    Builtin{"neq", plain, Op::ne, 2, 2},
    Builtin{"ceiling", plain, Op::ceil},
    Builtin{"arcsin", plain, Op::asin},
    Builtin{"arccos", plain, Op::acos},
    Builtin{"arctan", plain, Op::atan},
    Builtin{"arcsec", plain, Op::asec},
    Builtin{"arccsc", plain, Op::acsc},
    Builtin{"arccot", plain, Op::acot},
    Builtin{"arcsinh", plain, Op::asinh},
    Builtin{"arccosh", plain, Op::acosh},
    Builtin{"arctanh", plain, Op::atanh},
    Builtin{"arcsech", plain, Op::asech},
    Builtin{"arccsch", plain, Op::acsch},
    Builtin{"arccoth", plain, Op::acoth},
};

bool same_ignoring_case(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == y;
  });
}

}  // namespace

std::optional<Builtin> builtin_named(std::string_view name) {
  for (const Builtin& builtin : builtins)
    if (builtin.name == name) return builtin;
  if (auto op = function_named(name)) return Builtin{name, plain, *op, arity(*op), arity(*op)};
  return std::nullopt;
}

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const Builtin& builtin : builtins) names.emplace_back(builtin.name);
  for (int i = 0; i <= static_cast<int>(Op::rate_of); ++i) {
    std::string_view name = name_of(static_cast<Op>(i));
    if (function_named(name)) names.emplace_back(name);
  }
  return names;
}

ExprId apply_builtin(const Builtin& builtin, const std::vector<ExprId>& arguments, Span span,
                     Expressions& e) {
  std::size_t count = arguments.size();
  auto argument = [&](std::size_t i) { return i < count ? arguments[i] : no_expr; };
  switch (builtin.form) {
    case plain:
      return e.apply(builtin.op, argument(0), argument(1), argument(2), span);
    case folded: {
      ExprId result = arguments[0];
      for (std::size_t i = 1; i < count; ++i)
        result = e.apply(builtin.op, result, arguments[i], no_expr, span);
      return result;
    }
    case chained: {
      ExprId result = e.apply(builtin.op, arguments[0], arguments[1], no_expr, span);
      for (std::size_t i = 2; i < count; ++i) {
        ExprId link = e.apply(builtin.op, arguments[i - 1], arguments[i], no_expr, span);
        result = e.apply(Op::logical_and, result, link, no_expr, span);
      }
      return result;
    }
    case logarithm: {
      if (count == 1) return e.apply(Op::log10, arguments[0], no_expr, no_expr, span);
      ExprId of_value = e.apply(Op::ln, arguments[1], no_expr, no_expr, span);
      ExprId of_base = e.apply(Op::ln, arguments[0], no_expr, no_expr, span);
      return e.apply(Op::div, of_value, of_base, no_expr, span);
    }
    case BuiltinForm::root: {
      ExprId one = e.number(1, span);
      ExprId exponent = e.apply(Op::div, one, arguments[0], no_expr, span);
      return e.apply(Op::pow, arguments[1], exponent, no_expr, span);
    }
    case square:
      return e.apply(Op::pow, arguments[0], e.number(2, span), no_expr, span);
    case if_then_else: {
      ExprId otherwise = count % 2 == 1 ? arguments[count - 1]
                                        : e.number(std::numeric_limits<double>::quiet_NaN(), span);
      for (std::size_t piece = count / 2; piece-- > 0;)
        otherwise =
            e.apply(Op::select, arguments[2 * piece], arguments[2 * piece + 1], otherwise, span);
      return otherwise;
    }
  }
  return no_expr;
}

bool is_random_function(std::string_view name) {
  static constexpr std::array<std::string_view, 12> names{
      "normal", "uniform",  "poisson", "exponential", "gamma",     "bernoulli",
      "cauchy", "binomial", "laplace", "lognormal",   "chisquare", "rayleigh"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<double> constant_named(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  if (name == "exponentiale") return std::numbers::e;
  if (name == "avogadro") return 6.02214179e23;  // as SBML fixes it
  if (name == "true") return 1;
  if (name == "false") return 0;
  if (same_ignoring_case(name, "inf") || same_ignoring_case(name, "infinity"))
    return std::numeric_limits<double>::infinity();
  if (same_ignoring_case(name, "nan") || same_ignoring_case(name, "notanumber"))
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

}  // namespace stiffit::internal
