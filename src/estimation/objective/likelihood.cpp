// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/likelihood.h"

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <numbers>

namespace stiffit::internal {
namespace {

using boost::math::digamma;
using boost::math::trigamma;

const double log_root_two_pi = 0.5 * std::log(2 * std::numbers::pi);

// Of the standardised distribution, at z: the logarithms of density and of the probability below,
// and the slope of the former.
struct Tail {
  double log_density = 0, log_below = 0, slope = 0;
};

Tail normal_tail(double z) {
  Tail t;
  t.log_density = -0.5 * z * z - log_root_two_pi;
  t.slope = -z;
  if (z > -30) {
    t.log_below = z > 0 ? std::log1p(-0.5 * std::erfc(z / std::numbers::sqrt2))
                        : std::log(0.5 * std::erfc(-z / std::numbers::sqrt2));
  } else {  // where erfc is too small for a double
    const double q = 1 / (z * z);
    t.log_below = t.log_density - std::log(-z) + std::log1p(-q * (1 - q * (3 - 15 * q)));
  }
  return t;
}

Tail laplace_tail(double z) {
  Tail t;
  t.log_density = -std::numbers::ln2 - std::fabs(z);
  t.slope = z > 0 ? -1 : 1;
  t.log_below = z > 0 ? std::log1p(-0.5 * std::exp(-z)) : -std::numbers::ln2 + z;
  return t;
}

double student_constant(double freedom) {
  return std::lgamma(0.5 * (freedom + 1)) - std::lgamma(0.5 * freedom) -
         0.5 * std::log(freedom * std::numbers::pi);
}

Tail student_tail(double z, double freedom) {
  Tail t;
  t.log_density = student_constant(freedom) - 0.5 * (freedom + 1) * std::log1p(z * z / freedom);
  t.slope = -z * (freedom + 1) / (freedom + z * z);
  t.log_below = std::log(boost::math::cdf(boost::math::students_t(freedom), z));
  return t;
}

Tail tail_of(NoiseKind kind, double z, double freedom) {
  return kind == NoiseKind::normal    ? normal_tail(z)
         : kind == NoiseKind::laplace ? laplace_tail(z)
                                      : student_tail(z, freedom);
}

// Only the side is known: the probability that noise falls there.
void limit_term(LikelihoodTerm& term, NoiseKind kind, double gap, double noise, Censoring censoring,
                double freedom) {
  const double sign = censoring == Censoring::below ? -1 : 1;  // of d z / d prediction
  const double z = sign * gap / noise;
  const Tail tail = tail_of(kind, z, freedom);
  const double hazard = std::exp(tail.log_density - tail.log_below);
  term.residual = 0;
  term.llh = tail.log_below;
  term.by_prediction = sign * hazard / noise;
  term.by_noise = -hazard * z / noise;
  if (kind == NoiseKind::student_t) {
    const double h = 1e-4 * freedom;
    term.by_freedom =
        (student_tail(z, freedom + h).log_below - student_tail(z, freedom - h).log_below) / (2 * h);
  }
  const double curvature = std::fmax(0.0, hazard * (hazard - tail.slope)) / (noise * noise);
  term.prediction_information = curvature;
  term.noise_information = curvature * z * z;
  term.prediction_with_noise = -sign * curvature * z;
}

void student_term(LikelihoodTerm& term, double noise, double n) {
  const double r = term.residual, q = r * r / (n + r * r);
  term.llh += student_constant(n) - std::log(noise) - 0.5 * (n + 1) * std::log1p(r * r / n);
  term.by_prediction = -(n + 1) * r / (n + r * r) / noise;
  term.by_noise = ((n + 1) * q - 1) / noise;
  term.by_freedom = 0.5 * (digamma(0.5 * (n + 1)) - digamma(0.5 * n) - 1 / n -
                           std::log1p(r * r / n) + (n + 1) * q / n);
  term.prediction_information = (n + 1) / ((n + 3) * noise * noise);
  term.noise_information = 2 * n / ((n + 3) * noise * noise);
  term.freedom_information =
      0.25 * (trigamma(0.5 * n) - trigamma(0.5 * (n + 1))) - (n + 5) / (2 * n * (n + 1) * (n + 3));
  term.noise_with_freedom = -2 / ((n + 1) * (n + 3) * noise);
}

}  // namespace

double noise_cdf(NoiseKind kind, double z, double freedom) {
  return std::exp(tail_of(kind, z, freedom).log_below);
}

LikelihoodTerm likelihood_term(Transformation transformation, NoiseKind kind, double measurement,
                               double prediction, double noise, Censoring censoring,
                               double freedom) {
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
  if (!(noise > 0) || !std::isfinite(r) ||
      (kind == NoiseKind::student_t && !(freedom > 0 && std::isfinite(freedom)))) {
    term.llh = not_set;
    return term;
  }
  if (censoring != Censoring::none) {
    limit_term(term, kind, h - m, noise, censoring, freedom);
  } else if (kind == NoiseKind::normal) {
    term.llh = jacobian - std::log(noise) - 0.5 * std::log(2 * std::numbers::pi) - 0.5 * r * r;
    term.by_prediction = -r / noise;
    term.by_noise = (r * r - 1) / noise;
    term.prediction_information = 1 / (noise * noise);
    term.noise_information = 2 / (noise * noise);
  } else if (kind == NoiseKind::laplace) {
    term.llh = jacobian - std::log(2 * noise) - std::fabs(r);
    term.by_prediction = (r > 0 ? -1.0 : r < 0 ? 1.0 : 0.0) / noise;
    term.by_noise = (std::fabs(r) - 1) / noise;
    term.prediction_information = term.noise_information = 1 / (noise * noise);
  } else {
    term.llh = jacobian;
    student_term(term, noise, freedom);
  }
  return term;
}

}  // namespace stiffit::internal
