// For the tests of this room: reads a network from a string and computes its expressions by plain
// recursion over the initial state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "io/bng/read_bng.h"

namespace stiffit::internal {

struct NetResult {
  std::optional<Model> model;
  std::string messages;
};

inline NetResult read_net(std::string text) {
  auto source = std::make_shared<const Source>("small.net", std::move(text));
  Diagnostics diagnostics(source);
  NetResult result;
  result.model = read_bng(source, diagnostics);
  result.messages = render(diagnostics);
  return result;
}

class NetValues {
 public:
  explicit NetValues(const Model& model, double time = 0) : model_(model), time_(time) {}

  double of(Ref ref) const {
    std::size_t i = ref.index;
    for (const Rule& rule : model_.rules)
      if (rule.target == ref) return of(rule.value);
    for (const InitialAssignment& assignment : model_.initial_assignments)
      if (assignment.target == ref) return of(assignment.value);
    switch (ref.kind) {
      case SymbolKind::time:
        return time_;
      case SymbolKind::species:
        return model_.species[i].initial;
      case SymbolKind::parameter:
        return model_.parameters[i].value;
      case SymbolKind::observable:
        return of(model_.observables[i].value);
      default:
        return not_set;
    }
  }
  double of(const char* id) const { return of(model_.find(id)); }
  double rate(std::size_t reaction) const { return of(model_.reactions[reaction].rate); }

  double of(ExprId id, const std::vector<double>& arguments = {}) const {
    const ExprNode& node = model_.expressions[id];
    auto operand = [&](ExprId x) { return x == no_expr ? 0.0 : of(x, arguments); };
    if (node.op == Op::number) return node.value;
    if (node.op == Op::symbol && node.ref.kind == SymbolKind::argument)
      return arguments[node.ref.index];
    if (node.op == Op::symbol) return of(node.ref);
    if (node.op == Op::call) {
      std::vector<double> values;
      for (int i = 0; i < node.b; ++i)
        values.push_back(of(model_.expressions.arguments(node)[i], arguments));
      return of(model_.functions[node.ref.index].body, values);
    }
    return evaluate(node.op, operand(node.a), operand(node.b), operand(node.c));
  }

 private:
  const Model& model_;
  double time_;
};

}  // namespace stiffit::internal
