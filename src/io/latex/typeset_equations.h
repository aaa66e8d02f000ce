// The equations of a model, typeset: one walk for all notations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "io/latex/typesetter.h"

namespace stiffit::internal {

enum class EquationKind { derivative, rate, rule, observable, function };

struct EquationSides {
  EquationKind kind = EquationKind::derivative;
  std::string name;         // of what it gives
  std::string left, right;  // no right side: a reaction without a rate law
};

struct EquationLimits {
  std::size_t most = std::numeric_limits<std::size_t>::max();     // equations
  std::size_t longest = std::numeric_limits<std::size_t>::max();  // characters of an expression
  std::string too_long;  // stands for an expression that is longer
};

// Differential equations in terms of the rates of reactions, then those rates, rules, observables
// and functions.
std::vector<EquationSides> equations_of(const Typesetter& typesetter,
                                        const EquationLimits& limits = {});

}  // namespace stiffit::internal
