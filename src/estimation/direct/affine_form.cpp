// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/affine_form.h"

#include "symbolic/substitution.h"

namespace stiffit::internal {

AffineForm affine_form(FitEquations& equations, NodeId node) {
  Graph& g = equations.graph();
  AffineForm form;
  form.constant = node;
  if (equations.unknowns_in(node).empty()) return form;
  for (auto& [parameter, factor] : g.gradient(node, Leaf::parameter)) {
    const int unknown = equations.unknown_of(parameter);
    if (unknown < 0) continue;
    // What only looks like a dependence has no derivative.
    for (auto& [other, second] : g.gradient(factor, Leaf::parameter))
      if (int u = equations.unknown_of(other); u >= 0) {
        // The one that enters in a bent way itself is the better name for the trouble.
        if (form.breaks < 0 || (form.breaks != form.with && u == unknown)) {
          form.breaks = unknown;
          form.with = u;
        }
      }
    form.terms.emplace_back(unknown, factor);
  }
  if (form.breaks >= 0) return form;
  Substitution zero(g);
  for (int u : equations.unknowns_in(node))
    zero.replace(g.parameter(equations.parameter_of(u)), g.number(0));
  form.constant = zero.of(node);
  for (auto& [unknown, factor] : form.terms) factor = zero.of(factor);
  return form;
}

}  // namespace stiffit::internal
