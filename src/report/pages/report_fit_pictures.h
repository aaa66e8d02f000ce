// The pictures of a fit: data and curves, residuals, the waterfall, correlations, profiles, bands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/fitted_data.h"
#include "estimation/pipeline/posterior_run.h"
#include "report/fit_summary.h"
#include "report/plots/heat_map.h"
#include "report/plots/plot.h"

namespace stiffit::internal {

// One for each observable, several where it has many experiments.
std::vector<Plot> data_pictures(const std::vector<FittedDatum>& data, const FittedCurves& curves);
// Over time, and against the quantiles that the noise should have.
std::vector<Plot> residual_pictures(const std::vector<FittedDatum>& data);
Plot waterfall_picture(const FitSummary& fit);
// Of so many unknowns at most, those with the strongest correlations.
HeatMap correlation_picture(const FitStatistics& statistics, std::size_t most);
std::string correlations_csv(const FitStatistics& statistics);
std::vector<Plot> profile_pictures(const ProfileSummary& profiles);
std::vector<Plot> prediction_pictures(const ProfileSummary& profiles);
std::vector<Plot> pair_pictures(const ProfileSummary& profiles);
// One for each quantity and experiment; what was measured first, with its data.
std::vector<Plot> band_pictures(const Posterior& posterior, const std::vector<FittedDatum>& data);
Plot convergence_picture(const Posterior& posterior);

}  // namespace stiffit::internal
