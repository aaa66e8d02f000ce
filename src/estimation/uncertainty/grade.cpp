// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/grade.h"

#include <algorithm>
#include <cmath>

#include "base/listed.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

// Of the width of the bounds, around zero: as narrow as a value of some size would be.
constexpr double narrow = 0.05, rather_narrow = 0.2;

// "3 %" below a tenth, else "a factor of 1.4".
std::string times(double factor) {
  if (factor < 1.1) return format_short(100 * (factor - 1), 2) + " %";
  return "a factor of " + format_short(factor, 3);
}

}  // namespace

std::vector<Limits> joined_stretches(std::vector<Limits> stretches) {
  auto low = [](const Limits& l) { return std::isnan(l.low) ? -INFINITY : l.low; };
  auto high = [](const Limits& l) { return std::isnan(l.high) ? INFINITY : l.high; };
  std::stable_sort(stretches.begin(), stretches.end(),
                   [&](const Limits& a, const Limits& b) { return low(a) < low(b); });
  std::vector<Limits> joined;
  for (const Limits& next : stretches) {
    if (joined.empty() || low(next) > high(joined.back()))
      joined.push_back(next);
    else if (high(next) > high(joined.back()))
      joined.back().high = next.high;
  }
  return joined;
}

std::string stretches_words(const std::vector<Limits>& stretches) {
  std::vector<std::string> words;
  for (const Limits& l : stretches)
    words.push_back(std::isnan(l.low) && std::isnan(l.high) ? "any value"
                    : std::isnan(l.low)                     ? "up to " + format_short(l.high, 4)
                    : std::isnan(l.high)
                        ? "from " + format_short(l.low, 4) + " on"
                        : format_short(l.low, 4) + " to " + format_short(l.high, 4));
  return listed(words);
}

const char* identifiability_name(Identifiability d) {
  switch (d) {
    case Identifiability::determined:
      return "determined";
    case Identifiability::roughly_determined:
      return "roughly-determined";
    case Identifiability::poorly_determined:
      return "poorly-determined";
    case Identifiability::one_sided:
      return "one-sided";
    case Identifiability::in_combination:
      return "in-combination";
    case Identifiability::not_determined:
      return "not-determined";
    case Identifiability::at_bound:
      return "at-bound";
    case Identifiability::not_judged:
      return "not-judged";
  }
  return "unknown";
}

bool has_both_limits(Identifiability d) {
  return d == Identifiability::determined || d == Identifiability::roughly_determined ||
         d == Identifiability::poorly_determined;
}

double factor_of(double value, const Limits& limits) {
  if (!(limits.low > 0 && value > 0) && !(limits.high < 0 && value < 0)) return std::nan("");
  const double up = limits.high / value, down = value / limits.low;
  return std::max(std::max(up, 1 / up), std::max(down, 1 / down));
}

Identifiability grade_of(double value, const Limits& limits, const EstimatedParameter& bounds) {
  const double factor = factor_of(value, limits);
  if (factor <= determined_factor) return Identifiability::determined;
  if (factor <= roughly_factor) return Identifiability::roughly_determined;
  if (!std::isnan(factor)) return Identifiability::poorly_determined;
  const double range = bounds.scale == Scale::lin ? bounds.upper - bounds.lower : 0;
  const double half = 0.5 * (limits.high - limits.low);
  if (!std::isfinite(range)) return Identifiability::roughly_determined;
  return half <= narrow * range          ? Identifiability::determined
         : half <= rather_narrow * range ? Identifiability::roughly_determined
                                         : Identifiability::poorly_determined;
}

std::string grade_words(Identifiability grade, double value, const Limits& limits, Scale scale) {
  const double factor = factor_of(value, limits);
  if (std::isnan(factor)) return range_words(grade, value, limits);
  if (grade == Identifiability::poorly_determined)
    return "poorly determined: known to " + times(factor);
  const std::string within =
      scale == Scale::lin
          ? "+- " + format_short(std::max(limits.high - value, value - limits.low), 3)
          : times(factor);
  return (grade == Identifiability::determined ? "determined, within "
                                               : "roughly determined, within ") +
         within;
}

std::string range_words(Identifiability grade, double value, const Limits& limits) {
  const std::string range = format_short(limits.low, 4) + " to " + format_short(limits.high, 4);
  const double factor = factor_of(value, limits);
  switch (grade) {
    case Identifiability::determined:
      return "determined: " + range;
    case Identifiability::roughly_determined:
      return "roughly determined: " + range;
    default:
      return std::isnan(factor) ? "poorly determined: " + range
                                : "poorly determined: known to " + times(factor) + ", " + range;
  }
}

}  // namespace stiffit::internal
