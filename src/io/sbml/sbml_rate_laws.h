// The rate laws that Level 1 has as functions (uui, hillr, ppbr, ...) -> what they stand for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sbml/SBMLTypes.h>

#include <memory>

#include "base/diagnostic.h"

namespace stiffit::internal {

// A copy of the formula with every such function written out. `reaction`: the one whose law it is,
// or null; its reactants tell the substrates of massr from the products. Calls with the wrong
// number of arguments are errors and left as they are.
std::unique_ptr<ASTNode> expand_rate_laws(const ASTNode& formula, const ::Reaction* reaction,
                                          Span span, Diagnostics& diagnostics);

}  // namespace stiffit::internal
