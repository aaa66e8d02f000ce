// A profile run: the fit, and the profiles around it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/pipeline/fit_pipeline.h"

namespace stiffit::internal {

struct ProfileRun {
  FitSummary fit;
  ProfileSummary summary;  // meaningless if nothing was found, or the fit was interrupted
  std::shared_ptr<const ProblemObjective> objective;
  ObjectiveOptions accuracy;
  std::shared_ptr<RunDirectory> directory;  // null: none
  bool is_worker = false;                   // as of FitRun

  bool fitted() const { return fit.found() && !fit.interrupted; }
};

// Checks the options. Throws InputError and OptionError.
ProfileRun run_profile(FitProblem problem, const api::ProfileOptions& options,
                       const RunInputs& inputs, const RunContext& context);

}  // namespace stiffit::internal
