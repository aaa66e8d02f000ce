// Verdicts about several unknowns at once, which hold only if they were tested.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/listed.h"
#include "base/number.h"
#include "estimation/uncertainty/verdict.h"

namespace stiffit::internal {
namespace {

constexpr double unchanged = 0.02;  // of the quantile

// How far a direction can be followed within the bounds, at most `wanted`.
double room_along(const std::vector<EstimatedParameter>& unknowns, const std::vector<double>& x,
                  const std::vector<double>& step, double wanted) {
  double room = wanted;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (step[i] == 0) continue;
    const double bound = step[i] > 0 ? unknowns[i].upper : unknowns[i].lower;
    room = std::min(room, std::max(0.0, (bound - x[i]) / step[i]));
  }
  return room;
}

// The step that is a factor of 3 for the unknown that it changes most, or its own size on a linear
// scale.
double test_length(const std::vector<EstimatedParameter>& unknowns, const std::vector<double>& x,
                   const std::vector<double>& step) {
  double length = INFINITY;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (step[i] == 0) continue;
    const Scale scale = unknowns[i].scale;
    const double far = scale == Scale::log     ? std::log(3.0)
                       : scale == Scale::log10 ? std::log10(3.0)
                                               : 2 * std::max(std::abs(x[i]), 1e-3);
    length = std::min(length, far / std::abs(step[i]));
  }
  return length;
}

std::string one_limit(const ParameterStatistics& u) {
  if (std::isfinite(u.limits.low) && !std::isfinite(u.limits.high))
    return "; at least " + format_short(u.limits.low, 4);
  if (std::isfinite(u.limits.high) && !std::isfinite(u.limits.low))
    return "; at most " + format_short(u.limits.high, 4);
  return "";
}

}  // namespace

void test_null_directions(FitStatistics& s, const Objective& objective, const LocalFit& best,
                          double unit) {
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  for (const std::vector<double>& direction : s.null_directions) {
    std::vector<double> step(best.x.size(), 0);
    // As the words have it: what hardly takes part does not.
    auto weight = [&](std::size_t a) {
      const Scale scale = s.each[static_cast<std::size_t>(s.free[a])].scale;
      return std::abs(direction[a]) * (scale == Scale::log10 ? std::log(10.0) : 1);
    };
    double largest = 0;
    for (std::size_t a = 0; a < direction.size(); ++a) largest = std::max(largest, weight(a));
    for (std::size_t a = 0; a < direction.size(); ++a)
      if (weight(a) >= takes_part_in_words * largest)
        step[static_cast<std::size_t>(s.free[a])] = direction[a];
    const double wanted = test_length(unknowns, best.x, step);
    const bool alone =
        std::count_if(step.begin(), step.end(), [](double d) { return d != 0; }) == 1;
    bool holds = true, moved = false;
    for (int sign : {-1, 1}) {
      std::vector<double> along = step;
      for (double& d : along) d *= sign;
      // What has no effect has none anywhere.
      const double length = room_along(unknowns, best.x, along, alone ? 1e3 * wanted : wanted);
      if (length < 0.3 * wanted) continue;
      std::vector<double> x = best.x;
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += length * along[i];
      const Evaluation e = objective.evaluate(x, Need::value);
      holds = holds && e.ok() &&
              std::abs(2 * (e.value - best.at.value) / unit) < unchanged * s.single_quantile;
      moved = true;
    }
    if (!holds || !moved) continue;
    Eigen::VectorXd d(static_cast<Eigen::Index>(direction.size()));
    for (std::size_t a = 0; a < direction.size(); ++a)
      d(static_cast<Eigen::Index>(a)) = direction[a];
    s.undetermined.push_back(combination_words(s, d));
  }
}

void judge_by_combinations(FitStatistics& s, const CombinationSearch& search) {
  s.combinations = search.found;
  for (const OpenUnknown& open : search.open) {
    ParameterStatistics& u = s.each[open.unknown];
    if (u.identifiability == Identifiability::not_judged) continue;
    // Limits of the curvature at the best point that the valley passes are none.
    const bool by_curvature = u.limits_by == "wald";
    if (by_curvature && open.low < u.limits.low) u.limits.low = std::nan("");
    if (by_curvature && open.high > u.limits.high) u.limits.high = std::nan("");
    const IdentifiableCombination* own = nullptr;
    for (const IdentifiableCombination& c : search.found)
      if (!own && std::find(c.unknowns.begin(), c.unknowns.end(), u.id) != c.unknowns.end())
        own = &c;
    if (own) {
      u.with.clear();
      for (const std::string& name : own->unknowns)
        if (name != u.id) u.with.push_back(name);
      u.identifiability = Identifiability::in_combination;
      u.verdict = "only together with " + listed(u.with) + ": " + own->formula + " = " +
                  format_short(own->value, 4) + one_limit(u);
      continue;
    }
    const bool both = std::isfinite(u.limits.low) && std::isfinite(u.limits.high);
    const bool one = std::isfinite(u.limits.low) != std::isfinite(u.limits.high);
    if (both || (one && !by_curvature)) continue;
    if (open.felt && !open.with.empty()) {
      u.with = open.with;
      u.identifiability = Identifiability::in_combination;
      u.verdict = "not determined alone: moves together with " + listed(u.with) + one_limit(u);
    } else if (one) {
      u.identifiability = Identifiability::one_sided;
      u.verdict = "one-sided: " + one_limit(u).substr(2);
    } else if (u.identifiability == Identifiability::in_combination) {
      u.with.clear();
      u.identifiability = Identifiability::not_determined;
      u.verdict = "not determined by these data";
    }
  }
}

}  // namespace stiffit::internal
