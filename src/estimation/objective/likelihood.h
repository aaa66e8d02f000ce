// What one measurement adds to the log-likelihood, and how it changes with the prediction and the
// noise level. docs/likelihood.md states the formulas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/fit_problem.h"

namespace stiffit::internal {

struct LikelihoodTerm {
  double llh = 0;
  double residual = 0;  // (prediction - measurement)/noise, on the transformed scale
  double slope = 1;     // d transformed prediction / d prediction
  // d llh by the transformed prediction and by the noise level.
  double by_prediction = 0, by_noise = 0;
  // Expected information about each.
  double prediction_information = 0, noise_information = 0;
};

// `noise` is the standard deviation, or the scale of a Laplace distribution, on the transformed
// scale. NaN in llh if a logarithm has no value or the noise is not positive.
LikelihoodTerm likelihood_term(Transformation transformation, NoiseKind kind, double measurement,
                               double prediction, double noise);

}  // namespace stiffit::internal
