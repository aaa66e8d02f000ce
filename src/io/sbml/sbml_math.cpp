// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/sbml_math.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stiffit::internal {

namespace {

// Operations with as many operands here as in MathML.
constexpr std::pair<ASTNodeType_t, Op> plain_operations[] = {
    {AST_DIVIDE, Op::div},
    {AST_POWER, Op::pow},
    {AST_FUNCTION_POWER, Op::pow},
    {AST_FUNCTION_ABS, Op::abs},
    {AST_FUNCTION_ARCCOS, Op::acos},
    {AST_FUNCTION_ARCCOSH, Op::acosh},
    {AST_FUNCTION_ARCCOT, Op::acot},
    {AST_FUNCTION_ARCCOTH, Op::acoth},
    {AST_FUNCTION_ARCCSC, Op::acsc},
    {AST_FUNCTION_ARCCSCH, Op::acsch},
    {AST_FUNCTION_ARCSEC, Op::asec},
    {AST_FUNCTION_ARCSECH, Op::asech},
    {AST_FUNCTION_ARCSIN, Op::asin},
    {AST_FUNCTION_ARCSINH, Op::asinh},
    {AST_FUNCTION_ARCTAN, Op::atan},
    {AST_FUNCTION_ARCTANH, Op::atanh},
    {AST_FUNCTION_CEILING, Op::ceil},
    {AST_FUNCTION_COS, Op::cos},
    {AST_FUNCTION_COSH, Op::cosh},
    {AST_FUNCTION_COT, Op::cot},
    {AST_FUNCTION_COTH, Op::coth},
    {AST_FUNCTION_CSC, Op::csc},
    {AST_FUNCTION_CSCH, Op::csch},
    {AST_FUNCTION_DELAY, Op::delay},
    {AST_FUNCTION_EXP, Op::exp},
    {AST_FUNCTION_FACTORIAL, Op::factorial},
    {AST_FUNCTION_FLOOR, Op::floor},
    {AST_FUNCTION_LN, Op::ln},
    {AST_FUNCTION_SEC, Op::sec},
    {AST_FUNCTION_SECH, Op::sech},
    {AST_FUNCTION_SIN, Op::sin},
    {AST_FUNCTION_SINH, Op::sinh},
    {AST_FUNCTION_TAN, Op::tan},
    {AST_FUNCTION_TANH, Op::tanh},
    {AST_FUNCTION_QUOTIENT, Op::quotient},
    {AST_FUNCTION_REM, Op::rem},
    {AST_LOGICAL_NOT, Op::logical_not},
    {AST_LOGICAL_IMPLIES, Op::implies},
    {AST_RELATIONAL_NEQ, Op::ne}};

std::optional<Op> plain_operation(ASTNodeType_t type) {
  for (auto [from, to] : plain_operations)
    if (from == type) return to;
  return std::nullopt;
}

double rational(const ASTNode& node) {
  return static_cast<double>(node.getNumerator()) / static_cast<double>(node.getDenominator());
}

bool is_literal(const ASTNode& node, double value) {
  return node.isNumber() &&
         (node.isInteger() ? static_cast<double>(node.getInteger()) : node.getReal()) == value;
}

}  // namespace

ExprId SbmlMath::read(const ASTNode& tree, Span span, const NameTable* locals) {
  span_ = span;
  locals_ = locals;
  return convert(tree);
}

ExprId SbmlMath::fail(std::string message, std::string hint) {
  diagnostics_.error(span_, std::move(message), std::move(hint));
  return number(not_set);
}

ExprId SbmlMath::convert(const ASTNode& node) {
  switch (node.getType()) {
    case AST_INTEGER:
      return literal(node, static_cast<double>(node.getInteger()));
    case AST_REAL:
    case AST_REAL_E:
      return literal(node, node.getReal());
    case AST_RATIONAL:
      return literal(node, rational(node));
    case AST_CONSTANT_E:
      return number(std::numbers::e);
    case AST_CONSTANT_PI:
      return number(std::numbers::pi);
    case AST_CONSTANT_TRUE:
      return number(1);
    case AST_CONSTANT_FALSE:
      return number(0);
    // The value is fixed by the standard (CODATA 2006), not by later definitions of the mole.
    case AST_NAME_AVOGADRO:
      return number(6.02214179e23);
    case AST_NAME_TIME:
      return model_.expressions.symbol({SymbolKind::time, 0}, span_);
    case AST_NAME:
      return name(node);
    case AST_FUNCTION:
      return user_function(node);
    case AST_FUNCTION_PIECEWISE:
      return piecewise(node);
    case AST_FUNCTION_ROOT:
      return root(node);
    case AST_FUNCTION_LOG:
      return logarithm(node);
    case AST_FUNCTION_RATE_OF:
      return rate_of(node);
    case AST_PLUS:
      return fold(node, Op::add, 0);
    case AST_TIMES:
      return fold(node, Op::mul, 1);
    case AST_MINUS:
      return node.getNumChildren() == 1 ? apply(Op::neg, child(node, 0)) : fixed(node, Op::sub);
    case AST_FUNCTION_MIN:
      return fold(node, Op::min, not_set);
    case AST_FUNCTION_MAX:
      return fold(node, Op::max, not_set);
    case AST_LOGICAL_AND:
      return fold(node, Op::logical_and, 1);
    case AST_LOGICAL_OR:
      return fold(node, Op::logical_or, 0);
    case AST_LOGICAL_XOR:
      return fold(node, Op::logical_xor, 0);
    case AST_RELATIONAL_EQ:
      return chain(node, Op::eq);
    case AST_RELATIONAL_GEQ:
      return chain(node, Op::ge);
    case AST_RELATIONAL_GT:
      return chain(node, Op::gt);
    case AST_RELATIONAL_LEQ:
      return chain(node, Op::le);
    case AST_RELATIONAL_LT:
      return chain(node, Op::lt);
    default:
      if (auto op = plain_operation(node.getType())) return fixed(node, *op);
      return fail("this mathematics is not part of SBML's subset of MathML",
                  node.getName() ? node.getName() : "");
  }
}

// Level 3 lets a number say its unit.
ExprId SbmlMath::literal(const ASTNode& node, double value) {
  if (!node.isSetUnits()) return number(value);
  const std::string id = node.getUnits();
  auto& units = model_.units;
  auto found = std::find_if(units.begin(), units.end(),
                            [&](const UnitDefinition& unit) { return unit.id == id; });
  auto index = static_cast<std::int32_t>(found - units.begin());
  if (found == units.end()) units.push_back({id, built_in_unit(id), span_});
  return model_.expressions.number(value, span_, index);
}

ExprId SbmlMath::name(const ASTNode& node) {
  const std::string id = node.getName() ? node.getName() : "";
  if (locals_)
    if (auto found = locals_->find(id); found != locals_->end())
      return model_.expressions.symbol(found->second, span_);
  if (auto found = names_.symbols.find(id); found != names_.symbols.end())
    return model_.expressions.symbol(found->second, span_);
  std::vector<std::string> candidates;
  for (auto& [known, ref] : names_.symbols) candidates.push_back(known);
  std::string near = nearest_name(id, candidates);
  return fail("unknown name '" + id + "' in the mathematics",
              near.empty() ? std::string() : "did you mean '" + near + "'?");
}

ExprId SbmlMath::user_function(const ASTNode& node) {
  const std::string id = node.getName() ? node.getName() : "";
  auto found = names_.functions.find(id);
  if (found == names_.functions.end()) return fail("unknown function '" + id + "'");
  if (names_.is_rate_of[found->second]) return rate_of(node);
  const Function& function = model_.functions[found->second];
  const std::size_t given = node.getNumChildren(), expected = function.arguments.size();
  if (names_.has_body[found->second] && given != expected)
    return fail("function '" + id + "' is called with " + std::to_string(given) + " arguments",
                "it has " + std::to_string(expected));
  std::vector<ExprId> arguments;
  for (unsigned i = 0; i < given; ++i) arguments.push_back(child(node, i));
  return model_.expressions.call(found->second, arguments, span_);
}

// Pairs of value and condition, then perhaps a value for all other cases.
ExprId SbmlMath::piecewise(const ASTNode& node) {
  unsigned count = node.getNumChildren();
  ExprId result = count % 2 == 1 ? child(node, count - 1) : number(not_set);
  for (unsigned i = count / 2; i-- > 0;)
    result = apply(Op::select, child(node, 2 * i), child(node, 2 * i + 1), result);
  return result;
}

ExprId SbmlMath::root(const ASTNode& node) {
  const unsigned count = node.getNumChildren();
  if (count == 1) return apply(Op::sqrt, child(node, 0));
  if (count != 2) return fail("a root needs a degree and a radicand");
  const ASTNode& degree = *node.getChild(0);
  ExprId radicand = child(node, 1);
  if (is_literal(degree, 2)) return apply(Op::sqrt, radicand);
  // An odd root of a negative number is real, which the power function does not know.
  if (degree.isInteger() && degree.getInteger() % 2 != 0)
    return apply(Op::mul, apply(Op::sign, radicand),
                 apply(Op::pow, apply(Op::abs, radicand),
                       number(1 / static_cast<double>(degree.getInteger()))));
  return apply(Op::pow, radicand, apply(Op::div, number(1), convert(degree)));
}

ExprId SbmlMath::logarithm(const ASTNode& node) {
  const unsigned count = node.getNumChildren();
  if (count == 1) return apply(Op::log10, child(node, 0));
  if (count != 2) return fail("a logarithm needs a base and an argument");
  const ASTNode& base = *node.getChild(0);
  if (is_literal(base, 10)) return apply(Op::log10, child(node, 1));
  return apply(Op::div, apply(Op::ln, child(node, 1)), apply(Op::ln, convert(base)));
}

ExprId SbmlMath::rate_of(const ASTNode& node) {
  if (node.getNumChildren() != 1 || node.getChild(0)->getType() != AST_NAME)
    return fail("rateOf takes the name of one variable");
  return apply(Op::rate_of, child(node, 0));
}

// Any number of operands, from the left.
ExprId SbmlMath::fold(const ASTNode& node, Op op, double of_nothing) {
  const unsigned count = node.getNumChildren();
  if (count == 0) return number(of_nothing);
  ExprId result = child(node, 0);
  if (count == 1 && is_boolean(op)) return apply(Op::ne, result, number(0));
  for (unsigned i = 1; i < count; ++i) result = apply(op, result, child(node, i));
  return result;
}

// a < b < c means a < b and b < c.
ExprId SbmlMath::chain(const ASTNode& node, Op relation) {
  const unsigned count = node.getNumChildren();
  if (count < 2) return number(1);
  ExprId before = child(node, 0), result = no_expr;
  for (unsigned i = 1; i < count; ++i) {
    ExprId next = child(node, i);
    ExprId link = apply(relation, before, next);
    result = result == no_expr ? link : apply(Op::logical_and, result, link);
    before = next;
  }
  return result;
}

ExprId SbmlMath::fixed(const ASTNode& node, Op op) {
  const unsigned count = node.getNumChildren();
  if (count != static_cast<unsigned>(arity(op)))
    return fail("'" + std::string(name_of(op)) + "' with " + std::to_string(count) + " operands",
                "it takes " + std::to_string(arity(op)));
  ExprId operands[3] = {no_expr, no_expr, no_expr};
  for (unsigned i = 0; i < count; ++i) operands[i] = child(node, i);
  return apply(op, operands[0], operands[1], operands[2]);
}

}  // namespace stiffit::internal
