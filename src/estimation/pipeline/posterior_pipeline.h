// An ensemble that fits the data: the fit, the chains around it, and the bands of their draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/pipeline/fit_pipeline.h"
#include "estimation/pipeline/posterior_run.h"

namespace stiffit::internal {

struct PosteriorRun {
  FitSummary fit;
  Posterior posterior;  // meaningless if nothing was found, or the fit was interrupted
  PosteriorDraws draws;
  std::shared_ptr<const ProblemObjective> objective;
  ObjectiveOptions accuracy;
  std::shared_ptr<RunDirectory> directory;  // null: none
  bool is_worker = false;                   // as of FitRun

  bool fitted() const { return fit.found() && !fit.interrupted; }
};

// Checks the options. Throws InputError and OptionError.
PosteriorRun run_posterior(FitProblem problem, const api::PosteriorOptions& options,
                           const RunInputs& inputs, const RunContext& context);

}  // namespace stiffit::internal
