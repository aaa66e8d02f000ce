// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/staged_descent.h"

#include <algorithm>
#include <cmath>

#include "estimation/optimizers/trust_region.h"
#include "estimation/strategies/reduced_fit.h"

namespace stiffit::internal {
namespace {

constexpr double rough_value_tolerance = 1e-4;

// True if the bound of an inner unknown holds the others back: seen from outside it is a wall that
// no quadratic model knows of, and the descent is better made over all unknowns.
bool at_a_wall(const ProjectedObjective& projected, const std::vector<double>& full) {
  constexpr double near = 0.01;  // of the range between the bounds
  constexpr double push = 0.1;   // of the objective, for a change of theta by one
  const ProblemObjective& whole = projected.whole();
  std::vector<int> held;
  for (int u : projected.projected()) {
    const EstimatedParameter& unknown = whole.unknowns()[u];
    const double theta = full[u];
    const double gap = std::min(theta - unknown.lower, unknown.upper - theta);
    if (gap <= 0)
      held.push_back(u);
    else if (gap < near * (unknown.upper - unknown.lower))
      return true;
  }
  if (held.empty()) return false;
  const Evaluation e = whole.evaluate(full, Need::gradient);
  if (!e.ok()) return false;
  const double unit = value_unit(whole, e);
  return std::any_of(held.begin(), held.end(),
                     [&](int u) { return std::fabs(e.gradient[u]) > push * unit; });
}

// One start on its way down, from level to level.
class StagedDescent {
 public:
  StagedDescent(std::span<const double> start, const LocalOptions& options)
      : options_(options), at_(start.begin(), start.end()) {}

  void over_reduced(const ProjectedObjective& objective, double value_tolerance) {
    if (objective.unknowns().empty()) return;
    note(fit_reduced(objective, at_, own(value_tolerance)));
  }
  void over_all(const Objective& objective, double value_tolerance) {
    note(fit_trust_region(objective, at_, own(value_tolerance)));
  }
  const std::vector<double>& at() const { return at_; }

  // The last level decides how it ends.
  LocalFit end(const Objective& objective, std::span<const double> start) {
    LocalFit fit = fit_trust_region(objective, at_, own(options_.value_tolerance));
    fit.start.assign(start.begin(), start.end());
    if (!std::isnan(start_value_)) fit.start_value = start_value_;
    add_counts(fit, total_);
    return fit;
  }

 private:
  // The limit is that of all levels together, but each may end what it begins.
  LocalOptions own(double value_tolerance) const {
    constexpr int few = 50;
    LocalOptions o = options_;
    o.value_tolerance = std::max(o.value_tolerance, value_tolerance);
    o.max_iterations =
        std::max(std::min(few, o.max_iterations), o.max_iterations - total_.iterations);
    return o;
  }
  void note(LocalFit fit) {
    add_counts(total_, fit);
    if (std::isnan(start_value_)) start_value_ = fit.start_value;
    if (fit.usable()) at_ = fit.x;
  }

  const LocalOptions& options_;
  std::vector<double> at_;
  LocalFit total_;
  double start_value_ = std::nan("");
};

// A sampled start goes down by rough integrations first: far from the minimum they serve as well.
LocalFit fit_staged(const ObjectiveLevels& levels, std::span<const double> start,
                    const LocalOptions& options) {
  StagedDescent descent(start, options);
  bool wall = false;
  if (levels.rough) {
    descent.over_reduced(*levels.rough, rough_value_tolerance);
    wall = at_a_wall(*levels.rough, descent.at());
    if (wall) descent.over_all(levels.rough->whole(), rough_value_tolerance);
  }
  if (!wall) descent.over_reduced(*levels.reduced, 0);
  return descent.end(*levels.whole, start);
}

// For descents on other objectives, whose values do not compare.
LocalOptions unwatched(LocalOptions options) {
  options.on_step = nullptr;
  return options;
}

// `objective` is one of the levels, which live as long as this.
ContinuationLevel level_of(std::shared_ptr<const ObjectiveLevels> levels,
                           const ProjectedObjective& objective) {
  return {[levels, &objective](std::span<const double> start, const LocalOptions& local) {
            return fit_reduced(objective, start, unwatched(local));
          },
          [levels, &objective](std::span<const std::vector<double>> points) {
            std::vector<std::vector<double>> outer;
            for (const std::vector<double>& point : points)
              outer.push_back(reduced_point(point, objective.projected()));
            return objective.values(outer, 1);
          }};
}

}  // namespace

MultiStartOptions with_staged_descent(MultiStartOptions options,
                                      std::shared_ptr<const ObjectiveLevels> levels) {
  options.method = [levels](const Objective&, std::span<const double> start,
                            const LocalOptions& local) {
    if (!levels->shoot_first) return fit_staged(*levels, start, local);
    const LocalFit near = levels->shooting->fit(start, unwatched(local));
    LocalFit fit = fit_staged(*levels, near.usable() ? near.x : start, local);
    add_counts(fit, near);
    return fit;
  };
  options.screen = level_of(levels, levels->rough ? *levels->rough : *levels->reduced).screen;
  options.continuation_levels.clear();
  if (!levels->growing.empty()) {
    options.continuation_levels.emplace_back();
    for (const auto& part : levels->growing)
      options.continuation_levels.back().push_back(level_of(levels, *part));
  }
  if (levels->shooting && !levels->shoot_first) {
    options.continuation_levels.push_back(
        {{[levels](std::span<const double> start, const LocalOptions& local) {
            return levels->shooting->fit(start, unwatched(local));
          },
          options.screen}});
    options.basin_hop = [levels](std::span<const double> from, std::uint64_t seed,
                                 const LocalOptions& local) {
      return levels->shooting->basin_hop(from, seed, unwatched(local));
    };
  }
  return options;
}

}  // namespace stiffit::internal
