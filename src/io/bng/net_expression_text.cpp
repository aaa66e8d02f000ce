// SPDX-License-Identifier: Apache-2.0
#include "io/bng/net_expression_text.h"

#include <cmath>

#include "base/number.h"

namespace stiffit::internal {
namespace {

bool is_known_function(Op op) {
  switch (op) {
    case Op::abs:
    case Op::sqrt:
    case Op::exp:
    case Op::ln:
    case Op::log10:
    case Op::sin:
    case Op::cos:
    case Op::tan:
    case Op::asin:
    case Op::acos:
    case Op::atan:
    case Op::sinh:
    case Op::cosh:
    case Op::tanh:
    case Op::asinh:
    case Op::acosh:
    case Op::atanh:
    case Op::min:
    case Op::max:
      return true;
    default:
      return false;
  }
}

const char* sign_of(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::sub:
      return "-";
    case Op::mul:
      return "*";
    case Op::div:
      return "/";
    case Op::pow:
      return "^";
    case Op::lt:
      return "<";
    case Op::le:
      return "<=";
    case Op::gt:
      return ">";
    case Op::ge:
      return ">=";
    case Op::eq:
      return "==";
    case Op::ne:
      return "!=";
    case Op::logical_and:
      return "&&";
    case Op::logical_or:
      return "||";
    default:
      return nullptr;
  }
}

}  // namespace

std::string net_unwrapped(const std::string& text) {
  if (text.empty() || text.front() != '(') return text;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && i + 1 < text.size()) return text;
  }
  return text.substr(1, text.size() - 2);
}

NetExpressions::NetExpressions(const Model& model, WrittenNames& names)
    : model_(model), names_(names) {
  for (const Rule& r : model.rules)
    if (r.kind == RuleKind::assignment && r.target.kind == SymbolKind::parameter)
      ruled_.insert(r.target.index);
}

std::string NetExpressions::refuse(const std::string& what) {
  refused.insert(what);
  return "0";
}

std::string NetExpressions::species(std::int32_t index) {
  auto [place, is_new] = groups.try_emplace(index);
  if (is_new) place->second = names_.fresh("N_" + model_.species[index].id);
  return place->second;
}

std::string NetExpressions::symbol(Ref ref, const Texts* arguments) {
  std::size_t index = ref.index;
  switch (ref.kind) {
    case SymbolKind::time:
      return "time()";
    case SymbolKind::species:
      return species(ref.index);
    case SymbolKind::compartment:
      return format_number(model_.compartments[index].size);
    case SymbolKind::parameter:
      return names_.of(ref) + (is_ruled(ref.index) ? "()" : "");
    case SymbolKind::reaction:
      return model_.reactions[index].rate == no_expr ? "0" : text(model_.reactions[index].rate);
    case SymbolKind::observable:
      return names_.of(ref);
    case SymbolKind::argument:
      return (*arguments)[index];
    default:
      return "0";
  }
}

std::string NetExpressions::write(ExprId id, const Texts* arguments) {
  const ExprNode& n = model_.expressions[id];
  auto operand = [&](ExprId below) { return write(below, arguments); };
  if (n.op == Op::number) {
    if (!std::isfinite(n.value)) return refuse("numbers that are not finite");
    std::string text = format_number(n.value);
    return text[0] == '-' ? "(" + text + ")" : text;
  }
  if (n.op == Op::symbol) return symbol(n.ref, arguments);
  if (n.op == Op::neg) return "(-" + operand(n.a) + ")";
  if (n.op == Op::select)
    return "if(" + operand(n.b) + "," + operand(n.a) + "," + operand(n.c) + ")";
  if (const char* sign = sign_of(n.op)) return "(" + operand(n.a) + sign + operand(n.b) + ")";
  if (n.op == Op::call) {
    const Function& f = model_.functions[n.ref.index];
    if (f.body == no_expr) return refuse("functions without a body");
    Texts texts;
    const ExprId* first = model_.expressions.arguments(n);
    for (int i = 0; i < n.b; ++i) texts.push_back(operand(first[i]));
    return write(f.body, &texts);
  }
  if (!is_known_function(n.op)) return refuse("the function " + std::string(name_of(n.op)));
  std::string text = std::string(name_of(n.op)) + "(" + net_unwrapped(operand(n.a));
  if (arity(n.op) == 2) text += "," + net_unwrapped(operand(n.b));
  return text + ")";
}

bool NetExpressions::varies(ExprId id) const {
  std::vector<ExprId> open{id};
  while (!open.empty()) {
    const ExprNode& n = model_.expressions[open.back()];
    open.pop_back();
    if (n.op == Op::symbol) {
      const bool fixed = n.ref.kind == SymbolKind::compartment ||
                         n.ref.kind == SymbolKind::argument ||
                         (n.ref.kind == SymbolKind::parameter && !is_ruled(n.ref.index));
      if (!fixed) return true;
    } else if (n.op == Op::call) {
      const ExprId* first = model_.expressions.arguments(n);
      open.insert(open.end(), first, first + n.b);
      const Function& f = model_.functions[n.ref.index];
      if (f.body != no_expr) open.push_back(f.body);
    } else {
      const ExprId operands[3] = {n.a, n.b, n.c};
      open.insert(open.end(), operands, operands + arity(n.op));
    }
  }
  return false;
}

}  // namespace stiffit::internal
