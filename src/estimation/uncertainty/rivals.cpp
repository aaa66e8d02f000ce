// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/rivals.h"

#include <cmath>
#include <limits>

#include "base/number.h"

namespace stiffit::internal {
namespace {

constexpr double no_limit = std::numeric_limits<double>::quiet_NaN();

// Of theta, around another minimum; what is left of the threshold there is less.
Limits limits_there(const ParameterStatistics& u, const EstimatedParameter& bounds, double left) {
  const double half = u.at_bound == 0 ? u.free_single * std::sqrt(left) : 0;
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

void widen(ParameterStatistics& u, const EstimatedParameter& bounds, const Limits& there,
           double value) {
  if (inside(there, u.limits)) return;
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
  const std::string also = "; another minimum that fits as well has " + format_short(value, 4);
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

void judge_over_rivals(FitStatistics& s, const Objective& objective, const LocalFit& best,
                       const std::vector<const LocalFit*>& others) {
  const double unit = value_unit(objective, best.at), threshold = s.single_quantile;
  if (!(unit > 0) || !std::isfinite(threshold)) return;
  for (const LocalFit* other : others) {
    const double difference = 2 * (other->at.value - best.at.value) / unit;
    if (!(difference < threshold)) continue;
    s.rivals.push_back({difference, other->x});
    const FitStatistics there = fit_statistics(objective, *other, s.level);
    for (std::size_t i = 0; i < s.each.size(); ++i) {
      ParameterStatistics& u = s.each[i];
      if (u.identifiability == Identifiability::not_judged) continue;
      const EstimatedParameter& bounds = objective.unknowns()[i];
      widen(u, bounds,
            limits_there(there.each[i], bounds, 1 - std::fmax(0, difference) / threshold),
            there.each[i].value);
    }
  }
  // A combination of values around one minimum is no other minimum's.
  if (!s.rivals.empty()) s.combinations.clear();
}

}  // namespace stiffit::internal
