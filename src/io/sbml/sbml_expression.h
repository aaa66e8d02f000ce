// Expressions of a model -> libSBML's syntax trees.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sbml/math/ASTNode.h>

#include <memory>

#include "io/written/exact_numbers.h"
#include "io/written/written_names.h"

namespace stiffit::internal {

class SbmlExpressions {
 public:
  SbmlExpressions(const Model& model, const WrittenNames& names, ExactNumbers& numbers)
      : model_(model), names_(names), numbers_(numbers) {}

  // `function`: the one whose body this is; -1: none.
  std::unique_ptr<ASTNode> tree(ExprId root, std::int32_t function = -1);
  // The lambda of a function that has a body.
  std::unique_ptr<ASTNode> lambda(std::int32_t function);

 private:
  using Tree = std::unique_ptr<ASTNode>;
  Tree build(ExprId id);
  Tree number(double value, std::int32_t unit = -1);
  Tree symbol(Ref ref);
  Tree named(ASTNodeType_t type, const std::string& name);
  Tree chain(ExprId id, Op op, ASTNodeType_t type);
  Tree piecewise(const ExprNode& node);
  Tree sign(const ExprNode& node);
  Tree call(const ExprNode& node);

  const Model& model_;
  const WrittenNames& names_;
  ExactNumbers& numbers_;
  std::int32_t function_ = -1;
};

}  // namespace stiffit::internal
