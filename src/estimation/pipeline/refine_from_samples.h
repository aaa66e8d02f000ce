// The exploratory chains of an ensemble may have seen a better place than the starts of its fit:
// the fit descends from where they ended. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/pipeline/posterior_chains.h"

namespace stiffit::internal {

// The best fit becomes the best that is found there, as a further start, and the objective that it
// had before comes back; NaN: nothing better was found, and nothing has changed.
double refine_from_samples(const Objective& objective, const PosteriorChains& chains,
                           const LocalOptions& local, int threads, FitSummary& fit);

}  // namespace stiffit::internal
