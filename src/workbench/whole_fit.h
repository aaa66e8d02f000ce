// A whole fit: everything that `stiffit fit` does between reading the problem and showing the
// answer. The library does the same by it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "estimation/direct/linear_fit.h"
#include "workbench/fit_evidence.h"
#include "workbench/fit_options.h"

namespace stiffit {

// What is asked for, read before anything long begins. Throws UsageError.
struct FitWishes {
  FittingOptions options;
  LinearFitOptions along;
  ProfileWish profiles = ProfileWish::automatic;
  bool advice = true;
  RunSettings inputs;  // hashes of what was read, where it is no file or may have changed since
};
FitWishes read_fit_wishes(const Arguments& arguments, const Console& console);

struct WholeFit {
  FitSummary summary;
  std::shared_ptr<const ProblemObjective> objective;
  bool kept = false;    // in the folder of the run, with its report
  bool helped = false;  // this process worked for another one, and there is nothing to show
};

// Throws InputError if the problem or the method does not allow it. Warnings go to the console.
WholeFit run_whole_fit(FitProblem problem, FitWishes wishes, const Arguments& arguments,
                       const Console& console);

// The folder that --output names; null: none. Throws InputError. Warnings go to the console.
std::unique_ptr<RunFolder> run_folder(const char* kind, const RunSettings& settings,
                                      const Arguments& arguments, const Console& console);

// How the problem is called in reports.
std::string problem_name(const FitProblem& problem, const Arguments& arguments);

// Why there is no answer, in words, if there is none; and why what needs a fit cannot begin.
std::string nothing_found(const FitSummary& fit);
std::string unfitted(const FitSummary& fit);

}  // namespace stiffit
