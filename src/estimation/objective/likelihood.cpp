// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/likelihood.h"

#include <cmath>
#include <numbers>

namespace stiffit::internal {

LikelihoodTerm likelihood_term(Transformation transformation, NoiseKind kind, double measurement,
                               double prediction, double noise) {
  LikelihoodTerm term;
  double m = measurement, h = prediction, jacobian = 0;  // of the transformation, as a logarithm
  if (transformation == Transformation::log) {
    jacobian = -std::log(m);
    term.slope = 1 / h;
    m = std::log(m);
    h = std::log(h);
  } else if (transformation == Transformation::log10) {
    jacobian = -std::log(m * std::numbers::ln10);
    term.slope = 1 / (h * std::numbers::ln10);
    m = std::log10(m);
    h = std::log10(h);
  }
  const double r = term.residual = (h - m) / noise;
  if (kind == NoiseKind::normal) {
    term.llh = jacobian - std::log(noise) - 0.5 * std::log(2 * std::numbers::pi) - 0.5 * r * r;
    term.by_prediction = -r / noise;
    term.by_noise = (r * r - 1) / noise;
    term.prediction_information = 1 / (noise * noise);
    term.noise_information = 2 / (noise * noise);
  } else {
    term.llh = jacobian - std::log(2 * noise) - std::fabs(r);
    term.by_prediction = (r > 0 ? -1.0 : r < 0 ? 1.0 : 0.0) / noise;
    term.by_noise = (std::fabs(r) - 1) / noise;
    term.prediction_information = term.noise_information = 1 / (noise * noise);
  }
  if (!(noise > 0)) term.llh = not_set;
  return term;
}

}  // namespace stiffit::internal
