// Expressions as people write them: infix, no more parentheses than needed. In a text model
// the text reads back to the same expression, up to the grouping of sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/model.h"
#include "symbolic/moieties.h"
#include "symbolic/system.h"

namespace stiffit::internal {

// An expression of the model, in its own words. Cut with "..." beyond `longest` characters.
std::string expression_text(const Model& model, ExprId root, std::size_t longest = 10000);

// What a state is called: amount(S) if it is the amount of a species whose name means the
// concentration.
std::string state_text(const Model& model, const SystemState& state);

// A node of a system of equations, with the names of states and parameters; modes are written as
// the conditions they stand for.
std::string expression_text(const Model& model, const System& system, NodeId root,
                            std::size_t longest = 10000);

// "A + 2 B - C = constant"
std::string moiety_text(const Model& model, const System& system, const Moiety& moiety);

// A reaction with the arrow of the model language: "E + S -> C" if it is declared reversible,
// "2 A => 0" if not.
std::string reaction_text(const Model& model, const Reaction& reaction);

}  // namespace stiffit::internal
