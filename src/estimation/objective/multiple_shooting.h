// Multiple shooting: a course that swings is cut into pieces, each with initial values of its own,
// which are unknowns too; gaps between the end of one piece and the beginning of the next are
// penalised. Errors of rate constants then do not add up over many swings, and a fit finds its way
// from much farther away. H. G. Bock, "Recent advances in parameter identification techniques for
// O.D.E.", in: Numerical Treatment of Inverse Problems (1983).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "model/fit_problem.h"

namespace stiffit::internal {

struct ShootingProblem {
  // The unknowns of the uncut problem come first, then one for each state at each cut.
  FitProblem pieces;
  // The uncut problem with, as its measurements, the states at the cuts, in the order of those
  // unknowns: what it predicts are the values with which no gap is open.
  FitProblem cuts;
  std::size_t added = 0;
};

// `gap`: standard deviation of the logarithm of a state's ratio across a cut. Nothing where this
// cannot be done: with events, several periods, steady states or several models.
std::optional<ShootingProblem> cut_into_pieces(const FitProblem& problem,
                                               const std::vector<double>& times, double gap);

}  // namespace stiffit::internal
