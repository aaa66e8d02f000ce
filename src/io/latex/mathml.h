// The equations of a model as presentation MathML, for pages: each left and right side a <math>
// element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/latex/typeset_equations.h"

namespace stiffit::internal {

struct TypesetEquation {
  EquationKind kind = EquationKind::derivative;
  std::string name;    // of what it gives
  std::string mathml;  // "left = right"
};

// Differential equations in terms of the rates of reactions, then those rates, rules, observables
// and functions; at most `most` of them. An expression of more than `longest` characters is cut.
std::vector<TypesetEquation> typeset_equations(const Model& model, std::size_t most = 500,
                                               std::size_t longest = 4000);

}  // namespace stiffit::internal
