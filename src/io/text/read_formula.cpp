// SPDX-License-Identifier: Apache-2.0
#include "io/text/read_formula.h"

#include <deque>

#include "io/text/expression_builder.h"
#include "io/text/syntax/parser.h"

namespace stiffit::internal {
namespace {

// All names of the model. The texts are kept apart, since the model may grow meanwhile.
class ModelNames {
 public:
  explicit ModelNames(const Model& model) {
    for (const std::string& id : model.all_ids()) {
      texts_.push_back(id);
      Symbol& symbol = table.at({texts_.back(), {}});
      symbol.ref = model.find(id);
    }
  }
  SymbolTable table;

 private:
  std::deque<std::string> texts_;
};

}  // namespace

std::optional<Formula> parse_formula(Diagnostics& diagnostics) {
  Formula formula;
  formula.syntax = parse_text(diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const Syntax& syntax = formula.syntax;
  const Assignment* found = nullptr;
  if (syntax.models.empty() && syntax.functions.empty() && syntax.loose.statements.size() == 1)
    found = std::get_if<Assignment>(&syntax.loose.statements[0]);
  if (!found || found->order != 0 ||
      (found->kind != AssignmentKind::initial && found->kind != AssignmentKind::rule)) {
    diagnostics.error({}, "expected one definition NAME = formula",
                      "for instance: A340 = eps*NADH + offset");
    return std::nullopt;
  }
  formula.name = found->target;
  formula.value = found->value;
  for (SyntaxId id = found->value.first; id <= found->value.root; ++id) {
    const SyntaxNode& node = syntax.nodes[id];
    if (node.kind == NodeKind::name) formula.uses.push_back({node.text, node.span});
  }
  return formula;
}

ExprId build_formula(const Formula& formula, Model& model, Diagnostics& diagnostics) {
  // Built in a copy, then done again without the places.
  Model copy = model;
  ModelNames names(copy);
  auto first = static_cast<ExprId>(copy.expressions.size());
  ExpressionBuilder builder(formula.syntax, names.table, copy, diagnostics);
  builder.use_functions_of_model();
  ExprId result = builder.build(formula.value);
  for (ExprId id = first; id < static_cast<ExprId>(copy.expressions.size()); ++id) {
    const ExprNode& node = copy.expressions[id];
    if (node.op == Op::number)
      model.expressions.number(node.value);
    else if (node.op == Op::symbol)
      model.expressions.symbol(node.ref);
    else if (node.op == Op::call)
      model.expressions.call(node.ref.index, {copy.expressions.arguments(node),
                                              copy.expressions.arguments(node) + node.b});
    else
      model.expressions.apply(node.op, node.a, node.b, node.c);
  }
  // What memory() makes.
  for (std::size_t k = model.parameters.size(); k < copy.parameters.size(); ++k) {
    model.parameters.push_back(copy.parameters[k]);
    model.parameters.back().span = {};
  }
  for (std::size_t k = model.rules.size(); k < copy.rules.size(); ++k) {
    model.rules.push_back(copy.rules[k]);
    model.rules.back().span = {};
  }
  return result;
}

}  // namespace stiffit::internal
