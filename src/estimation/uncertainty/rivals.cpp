// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/rivals.h"

#include <cmath>
#include <limits>

#include "base/number.h"

namespace stiffit::internal {
namespace {

constexpr double no_limit = std::numeric_limits<double>::quiet_NaN();

// Limits of the Fisher information around another minimum; NaN: beyond a bound.
Limits limits_there(const ParameterStatistics& u, const EstimatedParameter& bounds) {
  const double half = u.at_bound == 0 ? u.free_single : 0;
  auto limit = [&](double theta) {
    return std::isfinite(half) && theta > bounds.lower && theta < bounds.upper
               ? from_theta(theta, u.scale)
               : no_limit;
  };
  return {limit(u.theta - half), limit(u.theta + half)};
}

bool inside(const Limits& inner, const Limits& outer) {
  return (std::isnan(outer.low) || inner.low >= outer.low) &&
         (std::isnan(outer.high) || inner.high <= outer.high);
}

void widen(ParameterStatistics& u, const EstimatedParameter& bounds,
           const ParameterStatistics& rival) {
  const Limits there = rival.limits;
  if (inside(there, u.limits)) return;
  if (rival.limits_by == "wald") u.limits_by = rival.limits_by, u.source = rival.source;
  const Limits before = u.limits;
  std::vector<Limits> own = u.intervals;
  if (own.empty()) own.push_back(before);
  own.push_back(there);
  u.intervals = joined_stretches(std::move(own));
  if (u.intervals.size() == 1) u.intervals.clear();
  u.limits = {std::fmin(before.low, there.low), std::fmax(before.high, there.high)};
  if (std::isnan(before.low) || std::isnan(there.low)) u.limits.low = no_limit;
  if (std::isnan(before.high) || std::isnan(there.high)) u.limits.high = no_limit;
  const bool low = !std::isnan(u.limits.low), high = !std::isnan(u.limits.high);
  const std::string also =
      "; another minimum that fits as well has " + format_short(rival.value, 4);
  if (low && high) {
    u.identifiability = grade_of(u.value, u.limits, bounds);
    u.verdict = range_words(u.identifiability, u.value, u.limits) + also;
  } else if (low || high) {
    u.identifiability = Identifiability::one_sided;
    u.verdict = (low ? "one-sided: at least " + format_short(u.limits.low, 4)
                     : "one-sided: at most " + format_short(u.limits.high, 4)) +
                also;
  } else {
    if (u.identifiability != Identifiability::in_combination)
      u.identifiability = Identifiability::not_determined;
    u.verdict = "not determined by these data" + also;
  }
}

}  // namespace

LocalFit with_noise_of(const LocalFit& best, LocalFit there) {
  there.at.chi2 = best.at.chi2;
  return there;
}

std::vector<Rival> rivals_among(const FitStatistics& s, const Objective& objective,
                                const LocalFit& best, const std::vector<const LocalFit*>& others) {
  const double unit = value_unit(objective, best.at), threshold = s.single_quantile;
  std::vector<Rival> found;
  if (!(unit > 0) || !std::isfinite(threshold)) return found;
  for (const LocalFit* other : others) {
    const double difference = 2 * (other->at.value - best.at.value) / unit;
    if (!(difference < threshold)) continue;
    Rival rival{other, difference, fit_statistics(objective, *other, s.level)};
    // Noise of unknown size is that of the best fit.
    const double left = (1 - std::fmax(0, difference) / threshold) * unit /
                        std::fmax(unit, value_unit(objective, other->at));
    rival.statistics.single_quantile *= left;
    for (std::size_t i = 0; i < s.each.size(); ++i) {
      ParameterStatistics& u = rival.statistics.each[i];
      const EstimatedParameter& bounds = objective.unknowns()[i];
      u.free_single *= std::sqrt(left);
      u.limits = limits_there(u, bounds);
      if (u.identifiability != Identifiability::not_judged) continue;
      // A descent that ended on its way: the place fits all the same.
      const bool closed = std::isfinite(u.limits.low) && std::isfinite(u.limits.high);
      u.identifiability = closed ? grade_of(u.value, u.limits, bounds) : Identifiability::one_sided;
    }
    found.push_back(std::move(rival));
  }
  return found;
}

void judge_over_rival(FitStatistics& s, const Objective& objective, const Rival& rival) {
  s.rivals.push_back({rival.difference, rival.fit->x});
  for (std::size_t i = 0; i < s.each.size(); ++i)
    if (s.each[i].identifiability != Identifiability::not_judged)
      widen(s.each[i], objective.unknowns()[i], rival.statistics.each[i]);
  // A combination of values around one minimum is no other minimum's.
  s.combinations.clear();
}

}  // namespace stiffit::internal
