// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/derived_quantity.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"

namespace stiffit::internal {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

EstimatedParameter without_bounds(const std::string& name) {
  return {name, -INFINITY, INFINITY, no_value, Scale::lin};
}

void grade_derived(DerivedQuantity& d) {
  const bool low = std::isfinite(d.limits.low), high = std::isfinite(d.limits.high);
  const std::string by = " (" + d.limits_by + ")";
  if (low && high) {
    d.grade = grade_of(d.value, d.limits, without_bounds(d.name));
    // Around zero there is no factor, and no bound that a width could be held against.
    if (std::isnan(factor_of(d.value, d.limits))) d.grade = Identifiability::poorly_determined;
    d.verdict = range_words(d.grade, d.value, d.limits) + by;
  } else if (low || high) {
    d.grade = Identifiability::one_sided;
    d.verdict = (low ? "one-sided: at least " + format_short(d.limits.low, 4)
                     : "one-sided: at most " + format_short(d.limits.high, 4)) +
                by;
  } else {
    d.grade = Identifiability::not_determined;
    d.verdict = "not determined: no limit within the bounds of the parameters" + by;
  }
}

DerivedQuantity named(const Quantity& quantity, double value) {
  DerivedQuantity d;
  d.name = quantity.name;
  d.formula = quantity.formula;
  d.value = value;
  d.error = no_value;
  d.limits = {no_value, no_value};
  return d;
}

bool was_followed(const QuantitySide& side) {
  return side.stop == ProfileStop::threshold || side.stop == ProfileStop::bound ||
         side.stop == ProfileStop::flat;
}

// A limit of one interval and of another: the farther one, and none where one has none.
double farther(double a, double b, bool lower) {
  if (!std::isfinite(a) || !std::isfinite(b)) return no_value;
  return lower ? std::min(a, b) : std::max(a, b);
}

}  // namespace

DerivedQuantity derived_by_profile(const Objective& objective, const LocalFit& best,
                                   const FitStatistics& s, const Quantity& quantity,
                                   const QuantityProfileOptions& options) {
  DerivedQuantity d =
      named(quantity, quantity.value(values_of(objective.unknowns(), best.x), nullptr));
  if (!std::isfinite(d.value)) {
    d.verdict = "has no value at the best fit";
    return d;
  }
  if (!best.at_minimum()) {
    d.verdict = "not judged: the search has not reached a minimum";
    return d;
  }
  const QuantityProfile p = profile_quantity(objective, best, quantity, options);
  d.error = p.error;
  d.points.assign(p.lower.points.rbegin(), p.lower.points.rend());
  d.points.push_back({p.value, 0, best.x});
  d.points.insert(d.points.end(), p.upper.points.begin(), p.upper.points.end());
  for (const QuantitySide* side : {&p.lower, &p.upper})
    if (side->stop == ProfileStop::interrupted || side->stop == ProfileStop::better) {
      d.verdict = "not judged: " + side->message;
      return d;
    }
  const double half = std::sqrt(options.quantile) * p.error;
  d.limits = p.limits();
  if (!was_followed(p.lower)) d.limits.low = p.value - half, d.limits_by = "wald";
  if (!was_followed(p.upper)) d.limits.high = p.value + half, d.limits_by = "wald";
  for (const RivalMinimum& rival : s.rivals) {
    QuantityProfileOptions left = options;
    left.quantile -= rival.difference;
    if (!(left.quantile > 0)) continue;
    LocalFit there = best;
    there.x = rival.x;
    there.at = objective.evaluate(rival.x, Need::fisher);
    if (!there.at.ok()) continue;
    const QuantityProfile other = profile_quantity(objective, there, quantity, left);
    d.limits.low = farther(d.limits.low, other.limits().low, true);
    d.limits.high = farther(d.limits.high, other.limits().high, false);
  }
  grade_derived(d);
  return d;
}

DerivedQuantity derived_to_first_order(const std::vector<EstimatedParameter>& unknowns,
                                       const std::vector<double>& x, const FitStatistics& s,
                                       const Quantity& quantity) {
  const std::vector<double> values = values_of(unknowns, x);
  std::vector<double> gradient;
  DerivedQuantity d = named(quantity, quantity.value(values, &gradient));
  d.limits_by = "wald";
  if (!std::isfinite(d.value)) {
    d.verdict = "has no value at the best fit";
    return d;
  }
  const std::size_t m = s.free.size();
  double variance = 0;
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = 0; b < m; ++b) {
      const auto i = static_cast<std::size_t>(s.free[a]), j = static_cast<std::size_t>(s.free[b]);
      if (gradient[i] == 0 || gradient[j] == 0) continue;
      variance += gradient[i] * theta_slope(values[i], unknowns[i].scale) * gradient[j] *
                  theta_slope(values[j], unknowns[j].scale) * s.covariance[a * m + b];
    }
  d.error = std::sqrt(variance);
  if (!std::isfinite(d.error)) {
    d.error = no_value;
    d.verdict = "not judged: parameters in it are not determined; a method that searches finds out";
    return d;
  }
  const double half = std::sqrt(s.single_quantile) * d.error;
  d.limits = {d.value - half, d.value + half};
  grade_derived(d);
  return d;
}

DrawnStatistics statistics_of_draws(std::vector<double> drawn, double level) {
  DrawnStatistics s;
  std::erase_if(drawn, [](double v) { return !std::isfinite(v); });
  std::sort(drawn.begin(), drawn.end());
  s.count = drawn.size();
  s.mean = s.deviation = s.median = s.low = s.high = no_value;
  if (drawn.empty()) return s;
  const double count = static_cast<double>(drawn.size());
  double sum = 0, squares = 0;
  for (double v : drawn) sum += v;
  s.mean = sum / count;
  for (double v : drawn) squares += (v - s.mean) * (v - s.mean);
  if (drawn.size() > 1) s.deviation = std::sqrt(squares / (count - 1));
  auto quantile = [&](double share) {
    const double at = share * (count - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, drawn.size() - 1);
    return drawn[below] + (at - std::floor(at)) * (drawn[above] - drawn[below]);
  };
  s.median = quantile(0.5);
  s.low = quantile((1 - level) / 2);
  s.high = quantile((1 + level) / 2);
  return s;
}

DerivedQuantity derived_by_draws(const Quantity& quantity, double value, std::vector<double> drawn,
                                 double level) {
  DerivedQuantity d = named(quantity, value);
  d.limits_by = "ensemble";
  const DrawnStatistics own = statistics_of_draws(std::move(drawn), level);
  if (own.count < 2) {
    d.verdict = "has no value over the draws";
    return d;
  }
  d.error = own.deviation;
  d.limits = {own.low, own.high};
  grade_derived(d);
  return d;
}

}  // namespace stiffit::internal
