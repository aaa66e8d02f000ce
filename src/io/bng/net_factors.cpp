// SPDX-License-Identifier: Apache-2.0
#include "io/bng/net_factors.h"

#include <cmath>

namespace stiffit::internal {

bool NetFactors::take(const std::map<std::int32_t, int>& side) {
  for (auto [index, count] : side) {
    auto found = species.find(index);
    if (found == species.end() || found->second < count) return false;
  }
  for (auto [index, count] : side) species[index] -= count;
  return true;
}

NetFactors net_factors(const Expressions& expressions, ExprId rate) {
  NetFactors result;
  std::vector<ExprId> open{rate};
  while (!open.empty()) {
    ExprId id = open.back();
    open.pop_back();
    const ExprNode& n = expressions[id];
    if (n.op == Op::mul) {
      open.push_back(n.b);
      open.push_back(n.a);
    } else if (n.op == Op::div) {
      open.push_back(n.a);
      result.below.push_back(n.b);
    } else if (n.op == Op::neg) {
      open.push_back(n.a);
      result.negative = !result.negative;
    } else if (n.op == Op::symbol && n.ref.kind == SymbolKind::species) {
      ++result.species[n.ref.index];
    } else if (n.op == Op::pow && expressions[n.a].op == Op::symbol &&
               expressions[n.a].ref.kind == SymbolKind::species &&
               expressions[n.b].op == Op::number && expressions[n.b].value > 0 &&
               expressions[n.b].value < 100 &&
               expressions[n.b].value == std::trunc(expressions[n.b].value)) {
      result.species[expressions[n.a].ref.index] += static_cast<int>(expressions[n.b].value);
    } else {
      result.above.push_back(id);
    }
  }
  return result;
}

std::vector<NetTerm> net_terms(const Expressions& expressions, ExprId rate) {
  std::vector<NetTerm> terms, open{{rate, false}};
  while (!open.empty()) {
    NetTerm term = open.back();
    open.pop_back();
    const ExprNode& n = expressions[term.value];
    if (n.op == Op::add || n.op == Op::sub) {
      open.push_back({n.b, (n.op == Op::sub) != term.negative});
      open.push_back({n.a, term.negative});
    } else if (n.op == Op::neg) {
      open.push_back({n.a, !term.negative});
    } else {
      terms.push_back(term);
    }
  }
  return terms;
}

}  // namespace stiffit::internal
