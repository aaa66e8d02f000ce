// A whole ensemble that fits the data: the fit, the chains around it, and the bands of their draws.
// Everything that `stiffit ensemble PROBLEM` does between reading the problem and showing the
// answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workbench/posterior_run.h"
#include "workbench/whole_fit.h"

namespace stiffit {

struct PosteriorSampling {
  SamplerOptions sampler;
  long samples = 10000, band_samples = 1000;
  int rounds = 1;  // in all, as long as the chains have not converged
  int points = 50;
};

struct PosteriorWishes {
  FittingOptions fitting;
  PosteriorSampling sampling;
  RunSettings inputs;  // as of FitWishes
};
PosteriorWishes read_posterior_wishes(const Arguments& arguments, const Console& console);

struct WholePosterior {
  FitSummary fit;
  Posterior posterior;  // meaningless if nothing was found, or the fit was interrupted
  std::vector<std::vector<std::vector<double>>> draws;  // [chain][draw][unknown], thetas
  bool kept = false, helped = false;                    // as of WholeFit

  bool fitted() const { return fit.found() && !fit.interrupted; }
};

// Throws InputError and UsageError. Warnings go to the console.
WholePosterior run_whole_posterior(FitProblem problem, PosteriorWishes wishes,
                                   const Arguments& arguments, const Console& console);

}  // namespace stiffit
