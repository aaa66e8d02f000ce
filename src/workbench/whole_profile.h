// A whole profile run: the fit, and the profiles around it. Everything that `stiffit profile` does
// between reading the problem and showing the answer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workbench/whole_fit.h"

namespace stiffit {

struct ProfileWishes {
  FittingOptions options;
  int most_points = 60;  // of one side
  RunSettings inputs;    // as of FitWishes
};
ProfileWishes read_profile_wishes(const Arguments& arguments, const Console& console);

struct WholeProfile {
  FitSummary fit;
  ProfileSummary summary;  // meaningless if nothing was found, or the fit was interrupted
  bool kept = false, helped = false;  // as of WholeFit

  bool fitted() const { return fit.found() && !fit.interrupted; }
};

// Throws InputError and UsageError. Warnings go to the console.
WholeProfile run_whole_profile(FitProblem problem, ProfileWishes wishes, const Arguments& arguments,
                               const Console& console);

}  // namespace stiffit
