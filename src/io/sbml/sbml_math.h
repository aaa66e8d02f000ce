// MathML (and Level 1 formulas), as libSBML's syntax trees -> expressions of the model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sbml/math/ASTNode.h>

#include "base/diagnostic.h"
#include "io/sbml/sbml_names.h"

namespace stiffit::internal {

class SbmlMath {
 public:
  SbmlMath(Model& model, const SbmlNames& names, Diagnostics& diagnostics)
      : model_(model), names_(names), diagnostics_(diagnostics) {}

  // The tree as an expression; `span` is the element it stands in (the trees carry no places),
  // `locals` the names that come before the model's own: a reaction's parameters, or arguments.
  ExprId read(const ASTNode& tree, Span span, const NameTable* locals = nullptr);

 private:
  ExprId convert(const ASTNode& node);
  ExprId name(const ASTNode& node);
  ExprId user_function(const ASTNode& node);
  ExprId piecewise(const ASTNode& node);
  ExprId root(const ASTNode& node);
  ExprId logarithm(const ASTNode& node);
  ExprId rate_of(const ASTNode& node);
  ExprId fold(const ASTNode& node, Op op, double of_nothing);
  ExprId chain(const ASTNode& node, Op relation);
  ExprId fixed(const ASTNode& node, Op op);
  ExprId child(const ASTNode& node, unsigned index) { return convert(*node.getChild(index)); }
  ExprId number(double value) { return model_.expressions.number(value, span_); }
  ExprId apply(Op op, ExprId a, ExprId b = no_expr, ExprId c = no_expr) {
    return model_.expressions.apply(op, a, b, c, span_);
  }
  ExprId literal(const ASTNode& node, double value);
  ExprId fail(std::string message, std::string hint = {});

  Model& model_;
  const SbmlNames& names_;
  Diagnostics& diagnostics_;
  Span span_;
  const NameTable* locals_ = nullptr;
};

}  // namespace stiffit::internal
