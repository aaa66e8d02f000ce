// What a fit can say beyond the Fisher information: profiles of what is in doubt, and what a
// profile or an ensemble has left in the same folder. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/problem_objective.h"
#include "estimation/pipeline/fit_run.h"

namespace stiffit::internal {

enum class AssessByProfiles {
  no,
  automatic,  // of what is in doubt
  yes,        // of all unknowns, to their ends
};

struct AssessOptions {
  AssessByProfiles profiles = AssessByProfiles::automatic;
  double seconds = 10;  // that profiles of what is in doubt may take, reckoned by counted steps
};

// Whether the model describes the data, at the best of what was found.
void add_adequacy(FitSummary& fit, const ProblemObjective& objective);

// Judges the identifiability of the unknowns of `fit` anew, over all minima that the data do not
// tell from the best. `request`: what it was fitted with.
void assess_identifiability(FitSummary& fit, const ProblemObjective& objective,
                            const FitRequest& request, const AssessOptions& wish);

}  // namespace stiffit::internal
