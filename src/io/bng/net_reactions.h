// The reactions of a BioNetGen network: stoichiometry and rate laws.
// Rate laws are those of BioNetGen's run_network for continuous amounts:
//   factor*k                 factor k x1 x2 ...         (k: number, parameter, function,
//   expression) factor*Sat k K1 K2 ...   factor k x1 x2 ... / ((K1 + x1)(K2 + x2)...) factor*Hill k
//   K n        factor k x1^n/(K^n + x1^n) x2 ... factor*MM kcat Km        factor kcat E S/(Km + S),
//   S the free part of the substrate x1 when the
//                            other reactants E bind it: S = (b + sqrt(b^2 + 4 x1 Km))/2,
//                            b = x1 - Km - E
// The factor of symmetry is in the file already: repeated reactants simply multiply.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/bng/net_blocks.h"
#include "io/bng/net_expression.h"

namespace stiffit::internal {

void read_net_reactions(NetScope& scope, const std::vector<Span>& lines);

// A whole number from 1 to `largest`, or 0 after a report. `what` as in "species".
std::int32_t read_net_index(NetScope& scope, Span word, std::int32_t largest,
                            std::string_view what);

}  // namespace stiffit::internal
