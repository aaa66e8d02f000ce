// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/sbml_expression.h"

#include <cmath>
#include <stdexcept>

namespace stiffit::internal {
namespace {

ASTNodeType_t type_of(Op op) {
  switch (op) {
    case Op::neg:
    case Op::sub:
      return AST_MINUS;
    case Op::logical_not:
      return AST_LOGICAL_NOT;
    case Op::abs:
      return AST_FUNCTION_ABS;
    case Op::floor:
      return AST_FUNCTION_FLOOR;
    case Op::ceil:
      return AST_FUNCTION_CEILING;
    case Op::exp:
      return AST_FUNCTION_EXP;
    case Op::ln:
      return AST_FUNCTION_LN;
    case Op::sin:
      return AST_FUNCTION_SIN;
    case Op::cos:
      return AST_FUNCTION_COS;
    case Op::tan:
      return AST_FUNCTION_TAN;
    case Op::sec:
      return AST_FUNCTION_SEC;
    case Op::csc:
      return AST_FUNCTION_CSC;
    case Op::cot:
      return AST_FUNCTION_COT;
    case Op::asin:
      return AST_FUNCTION_ARCSIN;
    case Op::acos:
      return AST_FUNCTION_ARCCOS;
    case Op::atan:
      return AST_FUNCTION_ARCTAN;
    case Op::asec:
      return AST_FUNCTION_ARCSEC;
    case Op::acsc:
      return AST_FUNCTION_ARCCSC;
    case Op::acot:
      return AST_FUNCTION_ARCCOT;
    case Op::sinh:
      return AST_FUNCTION_SINH;
    case Op::cosh:
      return AST_FUNCTION_COSH;
    case Op::tanh:
      return AST_FUNCTION_TANH;
    case Op::sech:
      return AST_FUNCTION_SECH;
    case Op::csch:
      return AST_FUNCTION_CSCH;
    case Op::coth:
      return AST_FUNCTION_COTH;
    case Op::asinh:
      return AST_FUNCTION_ARCSINH;
    case Op::acosh:
      return AST_FUNCTION_ARCCOSH;
    case Op::atanh:
      return AST_FUNCTION_ARCTANH;
    case Op::asech:
      return AST_FUNCTION_ARCSECH;
    case Op::acsch:
      return AST_FUNCTION_ARCCSCH;
    case Op::acoth:
      return AST_FUNCTION_ARCCOTH;
    case Op::factorial:
      return AST_FUNCTION_FACTORIAL;
    case Op::div:
      return AST_DIVIDE;
    case Op::pow:
      return AST_FUNCTION_POWER;
    case Op::min:
      return AST_FUNCTION_MIN;
    case Op::max:
      return AST_FUNCTION_MAX;
    case Op::quotient:
      return AST_FUNCTION_QUOTIENT;
    case Op::rem:
      return AST_FUNCTION_REM;
    case Op::lt:
      return AST_RELATIONAL_LT;
    case Op::le:
      return AST_RELATIONAL_LEQ;
    case Op::gt:
      return AST_RELATIONAL_GT;
    case Op::ge:
      return AST_RELATIONAL_GEQ;
    case Op::eq:
      return AST_RELATIONAL_EQ;
    case Op::ne:
      return AST_RELATIONAL_NEQ;
    case Op::logical_and:
      return AST_LOGICAL_AND;
    case Op::logical_or:
      return AST_LOGICAL_OR;
    case Op::logical_xor:
      return AST_LOGICAL_XOR;
    case Op::implies:
      return AST_LOGICAL_IMPLIES;
    default:
      throw std::logic_error("an operation without its MathML");
  }
}

// libSBML owns children by plain pointers.
void adopt(ASTNode& parent, std::unique_ptr<ASTNode> child) { parent.addChild(child.release()); }

}  // namespace

SbmlExpressions::Tree SbmlExpressions::tree(ExprId root, std::int32_t function) {
  function_ = function;
  return build(root);
}

SbmlExpressions::Tree SbmlExpressions::lambda(std::int32_t function) {
  const Function& f = model_.functions[function];
  auto result = std::make_unique<ASTNode>(AST_LAMBDA);
  for (std::size_t i = 0; i < f.arguments.size(); ++i) {
    Tree argument = named(AST_NAME, names_.of_argument(function, static_cast<std::int32_t>(i)));
    argument->setBvar();
    adopt(*result, std::move(argument));
  }
  adopt(*result, tree(f.body, function));
  return result;
}

SbmlExpressions::Tree SbmlExpressions::build(ExprId id) {
  const ExprNode& n = model_.expressions[id];
  Tree result;
  switch (n.op) {
    case Op::number:
      return number(n.value, n.ref.index);
    case Op::symbol:
      return symbol(n.ref);
    case Op::add:
      return chain(id, Op::add, AST_PLUS);
    case Op::mul:
      return chain(id, Op::mul, AST_TIMES);
    case Op::select:
      return piecewise(n);
    case Op::sign:
      return sign(n);
    case Op::call:
      return call(n);
    case Op::sqrt:
      result = std::make_unique<ASTNode>(AST_FUNCTION_ROOT);
      adopt(*result, number(2));
      break;
    case Op::log10:
      result = std::make_unique<ASTNode>(AST_FUNCTION_LOG);
      adopt(*result, number(10));
      break;
    case Op::delay:
      result = named(AST_FUNCTION_DELAY, "delay");
      break;
    case Op::rate_of:
      result = named(AST_FUNCTION_RATE_OF, "rateOf");
      break;
    default:
      result = std::make_unique<ASTNode>(type_of(n.op));
  }
  const ExprId operands[3] = {n.a, n.b, n.c};
  for (int i = 0; i < arity(n.op); ++i) adopt(*result, build(operands[i]));
  return result;
}

SbmlExpressions::Tree SbmlExpressions::number(double value, std::int32_t unit) {
  auto result = std::make_unique<ASTNode>();
  if (value == std::trunc(value) && std::fabs(value) < 1e9 && !std::signbit(value))
    result->setValue(static_cast<long>(value));
  else
    result->setValue(numbers_.in_math(value));
  if (unit >= 0 && model_.units[unit].unit) result->setUnits(names_.of_unit(unit));
  return result;
}

SbmlExpressions::Tree SbmlExpressions::named(ASTNodeType_t type, const std::string& name) {
  auto result = std::make_unique<ASTNode>(type);
  result->setName(name.c_str());
  return result;
}

SbmlExpressions::Tree SbmlExpressions::symbol(Ref ref) {
  if (ref.kind == SymbolKind::time) return named(AST_NAME_TIME, "time");
  if (ref.kind == SymbolKind::argument)
    return named(AST_NAME, names_.of_argument(function_, ref.index));
  return named(AST_NAME, names_.of(ref));
}

// ((a + b) + c) + d as one sum, which readers take from the left.
SbmlExpressions::Tree SbmlExpressions::chain(ExprId id, Op op, ASTNodeType_t type) {
  std::vector<ExprId> operands;
  for (; model_.expressions[id].op == op; id = model_.expressions[id].a)
    operands.push_back(model_.expressions[id].b);
  auto result = std::make_unique<ASTNode>(type);
  adopt(*result, build(id));
  for (std::size_t i = operands.size(); i-- > 0;) adopt(*result, build(operands[i]));
  return result;
}

SbmlExpressions::Tree SbmlExpressions::piecewise(const ExprNode& first) {
  auto result = std::make_unique<ASTNode>(AST_FUNCTION_PIECEWISE);
  const ExprNode* n = &first;
  for (;; n = &model_.expressions[n->c]) {
    adopt(*result, build(n->a));
    adopt(*result, build(n->b));
    if (model_.expressions[n->c].op != Op::select) break;
  }
  adopt(*result, build(n->c));
  return result;
}

// MathML has no sign function: 1 above zero, -1 below, else the value itself.
SbmlExpressions::Tree SbmlExpressions::sign(const ExprNode& n) {
  auto result = std::make_unique<ASTNode>(AST_FUNCTION_PIECEWISE);
  for (auto [value, relation] : {std::pair{1.0, AST_RELATIONAL_GT}, {-1.0, AST_RELATIONAL_LT}}) {
    adopt(*result, number(value));
    auto condition = std::make_unique<ASTNode>(relation);
    adopt(*condition, build(n.a));
    adopt(*condition, number(0));
    adopt(*result, std::move(condition));
  }
  adopt(*result, build(n.a));
  return result;
}

SbmlExpressions::Tree SbmlExpressions::call(const ExprNode& n) {
  Tree result = named(AST_FUNCTION, names_.of_function(n.ref.index));
  const ExprId* first = model_.expressions.arguments(n);
  for (int i = 0; i < n.b; ++i) adopt(*result, build(first[i]));
  return result;
}

}  // namespace stiffit::internal
