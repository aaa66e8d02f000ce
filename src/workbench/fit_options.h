// The options that `fit` and `profile` share, and what follows from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.h"
#include "estimation/objective/projected_objective.h"
#include "workbench/crew_objective.h"
#include "workbench/fit_run.h"
#include "workbench/flow_run.h"
#include "workbench/population_run.h"
#include "workbench/shooting_fit.h"

namespace stiffit {

std::vector<OptionSpec> fitting_options();

// Reads them all, so that a mistake is said before anything long begins.
struct FittingOptions {
  FitRequest request;
  ObjectiveOptions objective;
  bool starts_given = false;
  std::string start_from;
  bool projection = true;
  PopulationRequest population;
  FlowOptions flow;
  bool growing = true;  // starts see the beginning of oscillating data first
};
FittingOptions read_fitting_options(const Arguments& arguments, const Console& console);

// The problem's objective, what is left of it when linear unknowns are solved for inside (null: not
// wanted), and what sampled starts see before it. The request of `options` is set to use them.
struct FittingObjective {
  std::shared_ptr<const ProblemObjective> whole;
  std::unique_ptr<ProjectedObjective> projected;
  std::unique_ptr<ProjectedObjective> rough;                // by rough integrations
  std::vector<std::unique_ptr<ProjectedObjective>> easier;  // of ever more of the data, rough too
  std::unique_ptr<FlowPaths> paths;                         // of gradient flows
  std::unique_ptr<ShootingFit> shooting;                    // null: none
  std::unique_ptr<CrewObjective> spread;                    // of one population; null: none
};
// Throws InputError if nothing is unknown or there are no data.
FittingObjective fitting_objective(FitProblem problem, FittingOptions& options);

// Where the starts come from: the first from what is given or nominal, the others sampled. Says so
// on the console where that needs saying.
void place_starts(FittingOptions& options, const ProblemObjective& objective,
                  const Console& console);

// If the method is a population's or the gradient flow: sets the request, whose starts are placed
// and folder is open, to use it.
void join_method(FittingOptions& options, FittingObjective& objective);

// The processes that starts are spread over; null: they stay here.
Crew* crew_of(const FittingOptions& options, const Console& console);
// What a process does that is not the chief: starts, sides of profiles, and values of what chains
// sample.
int serve_fit(FittingOptions& options, FittingObjective& objective, const Console& console,
              const Objective* sampled = nullptr);

// Everything that the answer depends on, to be compared when a run is resumed.
RunSettings fitting_settings(const FittingOptions& options, const Arguments& arguments);

}  // namespace stiffit
