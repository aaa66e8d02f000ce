// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/shooting_fit.h"

#include <algorithm>
#include <cmath>

#include "base/normal_draw.h"
#include "estimation/objective/multiple_shooting.h"
#include "estimation/strategies/growing_data.h"
#include "estimation/strategies/reduced_fit.h"

namespace stiffit::internal {
namespace {

// Standard deviations of the logarithm of a gap. The first hardly binds, so that the pieces follow
// the data; with the last the whole course is near enough to go on alone.
constexpr double gaps[] = {3, 1, 0.3, 0.1, 0.03};
constexpr int level_iterations = 60, end_iterations = 300;
constexpr double level_tolerance = 1e-3, end_tolerance = 1e-4;
constexpr std::size_t most_added = 120;
// Of a basin hop, in units of theta, or of the range between bounds on a linear scale.
constexpr double hop_widths[] = {0, 0.03, 0.1, 0.1, 0.2};
constexpr double linear_share = 0.2;

LocalFit failed(std::span<const double> start, std::string why) {
  LocalFit fit;
  fit.x.assign(start.begin(), start.end());
  fit.start = fit.x;
  fit.start_value = std::nan("");
  fit.at.failure = why;
  fit.message = std::move(why);
  return fit;
}

LocalFit with_cost(LocalFit fit, const LocalFit& cost) {
  add_counts(fit, cost);
  return fit;
}

}  // namespace

std::vector<double> cut_times(const FitProblem& problem) {
  constexpr std::size_t most_turns = 30, few = 4;
  std::vector<double> times = growing_ends(problem, most_turns);
  if (!times.empty()) return times;
  for (const Measurement& m : problem.measurements)
    if (std::isfinite(m.time)) times.push_back(m.time);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.size() <= few) return times;
  std::vector<double> chosen;
  for (std::size_t k = 1; k <= few; ++k) chosen.push_back(times[k * times.size() / (few + 1)]);
  return chosen;
}

std::unique_ptr<ShootingFit> ShootingFit::make(const FitProblem& problem,
                                               const std::vector<double>& times,
                                               const ObjectiveOptions& options,
                                               const ProjectedObjective& end) {
  std::unique_ptr<ShootingFit> shooting(new ShootingFit(end));
  for (double gap : gaps) {
    std::optional<ShootingProblem> cut = cut_into_pieces(problem, times, gap);
    if (!cut || cut->added > most_added) return nullptr;
    shooting->levels_.push_back(std::make_unique<ProjectedObjective>(
        std::make_shared<const ProblemObjective>(std::move(cut->pieces), options)));
    ObjectiveOptions values_only = options;
    values_only.derivatives = false;
    if (!shooting->cuts_)
      shooting->cuts_ = std::make_unique<ProblemObjective>(std::move(cut->cuts), values_only);
  }
  return shooting;
}

LocalFit ShootingFit::descend(std::span<const double> start, std::span<const double> course,
                              std::size_t first, const LocalOptions& options) const {
  std::string failure;
  const std::vector<Prediction> states = cuts_->predict(course, failure);
  if (!failure.empty()) return failed(start, failure);
  std::vector<double> x(start.begin(), start.end());
  const std::vector<EstimatedParameter>& unknowns = levels_.front()->whole().unknowns();
  for (const Prediction& state : states) {
    const EstimatedParameter& u = unknowns[x.size()];
    const double least = from_theta(u.lower, u.scale);
    x.push_back(std::clamp(to_theta(std::max(state.value, least), u.scale), u.lower, u.upper));
  }
  LocalOptions level = options;
  level.max_iterations = std::min(options.max_iterations, level_iterations);
  level.value_tolerance = std::max(options.value_tolerance, level_tolerance);
  LocalFit cost;
  for (std::size_t k = first; k < levels_.size(); ++k) {
    LocalFit fit = fit_reduced(*levels_[k], x, level);
    add_counts(cost, fit);
    if (!fit.usable()) continue;
    // The pieces have followed the data by their initial values alone: the model does nothing.
    const auto own = static_cast<int>(end_.unknowns().size());
    const auto idle = std::count_if(fit.insensitive.begin(), fit.insensitive.end(),
                                    [&](int unknown) { return unknown < own; });
    if (2 * idle > own)
      return with_cost(failed(start, "the model is insensitive to most parameters"), cost);
    x = std::move(fit.x);
  }
  x.resize(start.size());
  level.max_iterations = std::min(options.max_iterations, end_iterations);
  level.value_tolerance = std::max(options.value_tolerance, end_tolerance);
  return with_cost(fit_reduced(end_, x, level), cost);
}

LocalFit ShootingFit::fit(std::span<const double> start, const LocalOptions& options) const {
  return descend(start, start, 0, options);
}

LocalFit ShootingFit::basin_hop(std::span<const double> from, std::uint64_t seed,
                                const LocalOptions& options) const {
  SplitMix random(seed);
  const double width = hop_widths[random.below(std::size(hop_widths))];
  const std::size_t first = 1 + random.below(3);
  std::vector<double> start(from.begin(), from.end());
  const std::vector<EstimatedParameter>& unknowns = end_.whole().unknowns();
  for (std::size_t i = 0; i < start.size(); ++i) {
    const EstimatedParameter& u = unknowns[i];
    const double range = u.upper - u.lower;
    const double unit = u.scale != Scale::lin  ? 1
                        : std::isfinite(range) ? linear_share * range
                                               : linear_share * std::fabs(start[i]);
    start[i] = std::clamp(start[i] + width * unit * normal_draw(random), u.lower, u.upper);
  }
  return descend(start, from, first, options);
}

}  // namespace stiffit::internal
