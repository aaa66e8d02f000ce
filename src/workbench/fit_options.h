// The options that `fit` and `profile` share, and what follows from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objective/problem_objective.h"
#include "workbench/commands.h"
#include "workbench/fit_run.h"

namespace stiffit {

std::vector<OptionSpec> fitting_options();

// Reads them all, so that a mistake is said before anything long begins.
struct FittingOptions {
  FitRequest request;
  ObjectiveOptions objective;
  bool starts_given = false;
  std::string start_from;
};
FittingOptions read_fitting_options(const Arguments& arguments, const Console& console);

// Where the starts come from: the first from what is given or nominal, the others sampled. Says so
// on the console where that needs saying.
void place_starts(FittingOptions& options, const ProblemObjective& objective,
                  const Console& console);

// Everything that the answer depends on, to be compared when a run is resumed.
RunSettings fitting_settings(const FittingOptions& options, const Arguments& arguments);

// Throws InputError if nothing is unknown.
void require_unknowns(const Objective& objective);

}  // namespace stiffit
