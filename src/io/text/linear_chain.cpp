// SPDX-License-Identifier: Apache-2.0
#include "io/text/linear_chain.h"

#include <algorithm>
#include <vector>

namespace stiffit::internal {

ExprId add_linear_chain(Model& model, ExprId signal, ExprId mean, int stages, Span span,
                        const std::function<bool(const std::string&)>& taken) {
  Expressions& e = model.expressions;
  auto used = [&](const std::string& id) {
    return taken(id) || std::any_of(model.parameters.begin(), model.parameters.end(),
                                    [&](const Parameter& p) { return p.id == id; });
  };
  int number = 1;
  auto name = [&](int stage) {
    return "memory" + std::to_string(number) +
           (stages > 1 ? "_" + std::to_string(stage) : std::string());
  };
  while (used(name(1))) ++number;
  const ExprId rate = e.apply(Op::div, e.number(stages, span), mean, no_expr, span);
  ExprId before = signal;
  for (int stage = 1; stage <= stages; ++stage) {
    const Ref ref{SymbolKind::parameter, static_cast<std::int32_t>(model.parameters.size())};
    model.parameters.push_back({name(stage), 0, false, {}, span});
    const ExprId own = e.symbol(ref, span);
    const ExprId gap = e.apply(Op::sub, before, own, no_expr, span);
    model.rules.push_back({RuleKind::rate, ref, e.apply(Op::mul, rate, gap, no_expr, span), span});
    before = own;
  }
  return before;
}

bool has_arguments(const Expressions& expressions, ExprId root) {
  std::vector<ExprId> open{root};
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    if (id < 0) continue;
    const ExprNode& n = expressions[id];
    if (n.op == Op::symbol) {
      if (n.ref.kind == SymbolKind::argument) return true;
    } else if (n.op == Op::call) {
      for (ExprId k = 0; k < n.b; ++k) open.push_back(expressions.arguments(n)[k]);
    } else if (n.op != Op::number) {
      open.insert(open.end(), {n.a, n.b, n.c});
    }
  }
  return false;
}

}  // namespace stiffit::internal
