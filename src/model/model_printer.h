// The infix printer for expressions of a model: a language gives the names of what they refer to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/infix_printer.h"
#include "model/model.h"

namespace stiffit::internal {

class ModelPrinter : public InfixPrinter {
 public:
  explicit ModelPrinter(const Model& model) : model_(model) {}

 protected:
  virtual std::string symbol(Ref ref) const = 0;
  virtual std::string function(std::int32_t index) const = 0;

  PrintedNode node(std::uint32_t id) const override {
    const ExprNode& n = model_.expressions[static_cast<ExprId>(id)];
    PrintedNode result{n.op, n.value, {}, {}};
    if (n.op == Op::symbol) {
      result.name = symbol(n.ref);
    } else if (n.op == Op::call) {
      result.name = function(n.ref.index);
      const ExprId* first = model_.expressions.arguments(n);
      result.operands.assign(first, first + n.b);
    } else {
      const ExprId operands[3] = {n.a, n.b, n.c};
      result.operands.assign(operands, operands + arity(n.op));
    }
    return result;
  }
  bool has_body(std::int32_t index) const { return model_.functions[index].body != no_expr; }

  const Model& model_;
};

}  // namespace stiffit::internal
