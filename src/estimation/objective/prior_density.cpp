// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/prior_density.h"

#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/rayleigh.hpp>
#include <cmath>
#include <numbers>

namespace stiffit::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The probability of [low, high].
template <class Distribution>
double mass(const Distribution& d, double low, double high) {
  auto below = [&](double x) { return x == -infinity ? 0.0 : x == infinity ? 1.0 : cdf(d, x); };
  return below(high) - below(low);
}

double positive_log(double x) { return x > 0 ? std::log(x) : -infinity; }

// The untruncated log density at x with its first derivative and, where it is concave, minus its
// second; and the probability that truncation leaves.
struct Density {
  double log_density, slope, curvature, mass;
};

Density density(const Prior& p, double x) {
  const double a = p.a, b = p.b, ln_x = x > 0 ? std::log(x) : -infinity;
  const double low = p.low, high = p.high;
  // Distributions of positive numbers see nothing below zero.
  const double low0 = std::max(low, 0.0), high0 = std::max(high, 0.0);
  const double ln_root_2pi = 0.5 * std::log(2 * std::numbers::pi);
  switch (p.kind) {
    case PriorKind::none:
      return {0, 0, 0, 1};
    case PriorKind::uniform: {
      const double inside = std::min(high, b) - std::max(low, a);
      return {x >= a && x <= b ? -std::log(b - a) : -infinity, 0, 0, inside / (b - a)};
    }
    case PriorKind::normal: {
      const double z = (x - a) / b;
      return {-std::log(b) - ln_root_2pi - 0.5 * z * z, -z / b, 1 / (b * b),
              mass(boost::math::normal(a, b), low, high)};
    }
    case PriorKind::laplace:
      return {-std::log(2 * b) - std::fabs(x - a) / b,
              (x > a   ? -1.0
               : x < a ? 1.0
                       : 0.0) /
                  b,
              0, mass(boost::math::laplace(a, b), low, high)};
    case PriorKind::log_normal: {
      const double z = (ln_x - a) / b;
      return {-ln_x - std::log(b) - ln_root_2pi - 0.5 * z * z, -(1 + z / b) / x,
              1 / (b * b * x * x),
              mass(boost::math::normal(a, b), positive_log(low0), positive_log(high0))};
    }
    case PriorKind::log_laplace: {
      const double sign = ln_x > a ? 1 : ln_x < a ? -1 : 0;
      return {-ln_x - std::log(2 * b) - std::fabs(ln_x - a) / b, -(1 + sign / b) / x, 0,
              mass(boost::math::laplace(a, b), positive_log(low0), positive_log(high0))};
    }
    case PriorKind::log_uniform: {
      const double width = std::log(b / a);
      const double inside = std::log(std::min(high, b) / std::max(low, a));
      return {x >= a && x <= b ? -ln_x - std::log(width) : -infinity, -1 / x, 0, inside / width};
    }
    case PriorKind::cauchy: {
      const double z = (x - a) / b;
      return {-std::log(std::numbers::pi * b * (1 + z * z)), -2 * z / (b * (1 + z * z)), 0,
              mass(boost::math::cauchy(a, b), low, high)};
    }
    case PriorKind::chi_squared:
      return {(0.5 * a - 1) * ln_x - 0.5 * x - 0.5 * a * std::numbers::ln2 - std::lgamma(0.5 * a),
              (0.5 * a - 1) / x - 0.5, std::max(0.0, (0.5 * a - 1) / (x * x)),
              mass(boost::math::chi_squared(a), low0, high0)};
    case PriorKind::exponential:
      return {x >= 0 ? -std::log(a) - x / a : -infinity, -1 / a, 0,
              mass(boost::math::exponential(1 / a), low0, high0)};
    case PriorKind::gamma:
      return {(a - 1) * ln_x - x / b - a * std::log(b) - std::lgamma(a), (a - 1) / x - 1 / b,
              std::max(0.0, (a - 1) / (x * x)),
              mass(boost::math::gamma_distribution<>(a, b), low0, high0)};
    case PriorKind::rayleigh:
      return {ln_x - 2 * std::log(a) - 0.5 * x * x / (a * a), 1 / x - x / (a * a),
              1 / (x * x) + 1 / (a * a), mass(boost::math::rayleigh(a), low0, high0)};
  }
  return {};
}

}  // namespace

PriorValue prior_density(const Prior& prior, double value, Scale scale) {
  if (prior.kind == PriorKind::none) return {};
  double x = prior.on_scale ? to_theta(value, scale) : value;
  // A value at the very edge may have gone through a logarithm and back.
  auto at_edge = [&](double edge) {
    return std::isfinite(edge) && std::fabs(x - edge) <= 1e-12 * std::fabs(edge);
  };
  for (double edge : {prior.low, prior.high})
    if (at_edge(edge)) x = edge;
  if (prior.kind == PriorKind::uniform || prior.kind == PriorKind::log_uniform)
    for (double edge : {prior.a, prior.b})
      if (at_edge(edge)) x = edge;
  const double chain = prior.on_scale ? 1 : theta_slope(value, scale);
  const Density d = density(prior, x);
  PriorValue result;
  result.log_density =
      x < prior.low || x > prior.high ? -infinity : d.log_density - std::log(d.mass);
  result.slope = d.slope * chain;
  result.curvature = d.curvature * chain * chain;
  return result;
}

}  // namespace stiffit::internal
