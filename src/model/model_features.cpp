// SPDX-License-Identifier: Apache-2.0
#include "model/model_features.h"

#include <algorithm>

namespace stiffit::internal {

std::vector<std::string> model_features(const Model& model) {
  std::vector<std::string> features;
  auto count = [&](std::size_t n, const std::string& one, const std::string& many) {
    if (n) features.push_back(std::to_string(n) + " " + (n == 1 ? one : many));
  };
  auto rules = [&](RuleKind kind) {
    return static_cast<std::size_t>(std::count_if(model.rules.begin(), model.rules.end(),
                                                  [&](const Rule& r) { return r.kind == kind; }));
  };
  count(model.compartments.size(), "compartment", "compartments");
  count(model.species.size(), "species", "species");
  count(model.parameters.size(), "parameter", "parameters");
  count(model.reactions.size(), "reaction", "reactions");
  count(rules(RuleKind::assignment), "assignment rule", "assignment rules");
  count(rules(RuleKind::rate), "rate rule", "rate rules");
  count(rules(RuleKind::algebraic), "algebraic equation", "algebraic equations");
  count(model.initial_assignments.size(), "initial assignment", "initial assignments");
  count(model.functions.size(), "function", "functions");
  count(model.events.size(), "event", "events");
  count(model.observables.size(), "observable", "observables");
  bool delays = false, pieces = false, time = false;
  for (std::size_t i = 0; i < model.expressions.size(); ++i) {
    const ExprNode& n = model.expressions[static_cast<ExprId>(i)];
    delays |= n.op == Op::delay;
    pieces |= n.op == Op::select;
    time |= n.op == Op::symbol && n.ref.kind == SymbolKind::time;
  }
  if (delays) features.push_back("delays");
  if (pieces) features.push_back("piecewise expressions");
  if (time) features.push_back("explicit time");
  return features;
}

}  // namespace stiffit::internal
