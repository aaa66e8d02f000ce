// The measurements of a problem as series and replicates, for tests of residuals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/problem_objective.h"
#include "estimation/uncertainty/residual_tests.h"

namespace stiffit::internal {

struct MeasuredLayout {
  ResidualLayout layout;
  std::vector<std::string> observables;
  // Per residual: measurement and prediction as they are compared, and the noise beside them.
  std::vector<double> measured, predicted, noise;
  std::vector<NoiseKind> kinds;
  std::vector<double> freedom;  // of Student t noise
};

// Experiments that the model
// does not tell apart are replicates of each other.
MeasuredLayout measured_layout(const FitProblem& problem, bool unknown_noise,
                               const ResidualDerivatives& derivatives);

// The scatter of neighbouring points around straight lines (Gasser, Sroka and Jennen-Steinmetz
// 1986), beside the noise; NaN: the series are too short to say. `observable` -1: of all.
double neighbour_scatter(const MeasuredLayout& data, int observable);

}  // namespace stiffit::internal
