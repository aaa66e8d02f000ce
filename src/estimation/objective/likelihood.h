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
  // d llh by the transformed prediction, the noise level and the degrees of freedom.
  double by_prediction = 0, by_noise = 0, by_freedom = 0;
  // Expected information about each; of a limit that which is seen, about both at once.
  double prediction_information = 0, noise_information = 0, freedom_information = 0;
  double prediction_with_noise = 0, noise_with_freedom = 0;
};

// `noise` is the standard deviation, or the scale of a Laplace or Student t distribution, on the
// transformed scale. NaN in llh if a logarithm has no value or the noise is not positive. A limit
// counts by the probability of its side, and its residual is 0.
LikelihoodTerm likelihood_term(Transformation transformation, NoiseKind kind, double measurement,
                               double prediction, double noise,
                               Censoring censoring = Censoring::none, double freedom = not_set);

// Of the standardised distribution: the probability below z.
double noise_cdf(NoiseKind kind, double z, double freedom);

}  // namespace stiffit::internal
