// An expression as constant + sum of unknowns times expressions without unknowns, if it is one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "estimation/direct/fit_equations.h"

namespace stiffit::internal {

struct AffineForm {
  NodeId constant = 0;
  std::vector<std::pair<int, NodeId>> terms;  // unknown, expression
  // If it is none: an unknown that does not enter linearly, and one that its factor depends on
  // (itself, or another one: a product of the two).
  int breaks = -1, with = -1;
};

AffineForm affine_form(FitEquations& equations, NodeId node);

}  // namespace stiffit::internal
