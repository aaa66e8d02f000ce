// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/start_quantiles.h"

#include <algorithm>
#include <boost/math/distributions/cauchy.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/laplace.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/rayleigh.hpp>
#include <cmath>
#include <functional>

namespace stiffit::internal {
namespace {

// x at quantile u of the distribution cut to [low, high].
template <class Distribution>
double cut_quantile(const Distribution& d, double u, double low, double high) {
  double from = std::isinf(low) ? 0 : cdf(d, low), to = std::isinf(high) ? 1 : cdf(d, high);
  if (!(to > from)) return low + u * (high - low);  // the prior has nothing inside the bounds
  double p = std::clamp(from + u * (to - from), 1e-300, 1 - 1e-16);
  return std::clamp(quantile(d, p), low, high);
}

double draw(const Prior& p, double u, double low, double high) {
  double positive = std::max(low, 0.0);
  auto logarithm = [](double x) { return x > 0 ? std::log(x) : -INFINITY; };
  switch (p.kind) {
    case PriorKind::none:
      break;
    case PriorKind::uniform:
      low = std::max(low, p.a), high = std::min(high, p.b);
      return low + u * (high - low);
    case PriorKind::log_uniform:
      low = std::log(std::max(low, p.a)), high = std::log(std::min(high, p.b));
      return std::exp(low + u * (high - low));
    case PriorKind::normal:
      return cut_quantile(boost::math::normal(p.a, p.b), u, low, high);
    case PriorKind::laplace:
      return cut_quantile(boost::math::laplace(p.a, p.b), u, low, high);
    case PriorKind::log_normal:
      return std::exp(
          cut_quantile(boost::math::normal(p.a, p.b), u, logarithm(low), logarithm(high)));
    case PriorKind::log_laplace:
      return std::exp(
          cut_quantile(boost::math::laplace(p.a, p.b), u, logarithm(low), logarithm(high)));
    case PriorKind::cauchy:
      return cut_quantile(boost::math::cauchy(p.a, p.b), u, low, high);
    case PriorKind::chi_squared:
      return cut_quantile(boost::math::chi_squared(p.a), u, positive, high);
    case PriorKind::exponential:
      return cut_quantile(boost::math::exponential(1 / p.a), u, positive, high);
    case PriorKind::gamma:
      return cut_quantile(boost::math::gamma_distribution<>(p.a, p.b), u, positive, high);
    case PriorKind::rayleigh:
      return cut_quantile(boost::math::rayleigh(p.a), u, positive, high);
  }
  return low + u * (high - low);
}

}  // namespace

Quantile start_quantiles(const FitProblem& problem,
                         const std::vector<EstimatedParameter>& unknowns) {
  std::vector<Prior> priors(unknowns.size());
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    for (const ProblemParameter& p : problem.parameters)
      if (p.id == unknowns[i].id) priors[i] = p.initialization;
  return [priors, unknowns, box = uniform_in_bounds(unknowns)](std::size_t i, double u) {
    const Prior& p = priors[i];
    const EstimatedParameter& x = unknowns[i];
    if (p.kind == PriorKind::none) return box(i, u);
    if (p.on_scale || x.scale == Scale::lin)
      return draw(p, u, std::max(x.lower, p.low), std::min(x.upper, p.high));
    double low = std::max(from_theta(x.lower, x.scale), p.low);
    double high = std::min(from_theta(x.upper, x.scale), p.high);
    return std::max(to_theta(draw(p, u, low, high), x.scale), x.lower);
  };
}

}  // namespace stiffit::internal
