// From nodes of a graph back to expressions of a model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <unordered_map>

#include "model/model.h"
#include "symbolic/graph.h"

namespace stiffit::internal {

class GraphExpressions {
 public:
  // `symbol` gives the expression of a leaf.
  using SymbolOf = std::function<ExprId(Leaf, int)>;
  GraphExpressions(const Graph& graph, Model& model, SymbolOf symbol)
      : graph_(graph), model_(model), symbol_(std::move(symbol)) {}
  ExprId of(NodeId root);

 private:
  const Graph& graph_;
  Model& model_;
  SymbolOf symbol_;
  std::unordered_map<NodeId, ExprId> known_;
};

}  // namespace stiffit::internal
