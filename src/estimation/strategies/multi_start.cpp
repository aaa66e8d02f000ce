// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/multi_start.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>

#include "base/normal_draw.h"
#include "base/threads.h"

namespace stiffit::internal {
namespace {

// Evaluations of a continuation or a descent.
template <class Part>
void count(StartResult& result, const Part& part) {
  result.values += part.values;
  result.gradients += part.gradients;
  result.failures += part.failures;
}

}  // namespace

MultiStart::MultiStart(const Objective& objective, MultiStartOptions options)
    : objective_(objective), options_(std::move(options)) {
  if (!options_.quantile) options_.quantile = uniform_in_bounds(objective.unknowns());
  options_.starts = std::max(options_.starts, options_.given.size());
  options_.screened = std::max<std::size_t>(options_.screened, 1 + options_.replacements);
  points_ = sample_starts(objective.unknowns(),
                          (options_.starts - options_.given.size()) * options_.screened,
                          options_.sampling, options_.seed, options_.quantile);
}

bool MultiStart::interrupted() const {
  return options_.local.interrupt && options_.local.interrupt->load();
}

const std::vector<ContinuationLevel>* MultiStart::levels_of_start(std::size_t index) const {
  if (index < options_.given.size() || options_.continuation_levels.empty()) return nullptr;
  return &options_.continuation_levels[(index - options_.given.size()) %
                                       options_.continuation_levels.size()];
}

std::vector<Evaluation> MultiStart::screen(std::span<const std::vector<double>> points) const {
  return options_.screen ? options_.screen(points) : objective_.values(points, 1);
}

// The candidates of a start, the most promising first.
std::vector<std::vector<double>> MultiStart::candidates(std::size_t index,
                                                        StartResult& result) const {
  if (index < options_.given.size()) return {options_.given[index]};
  std::size_t first = (index - options_.given.size()) * options_.screened;
  const std::vector<ContinuationLevel>* levels = levels_of_start(index);
  std::vector<std::pair<double, std::size_t>> order;
  constexpr std::size_t together = 16;  // fills the lanes, and an interrupt is seen soon
  for (std::size_t done = 0; done < options_.screened; done += together) {
    if (interrupted()) break;
    const std::span<const std::vector<double>> points(points_.data() + first + done,
                                                      std::min(together, options_.screened - done));
    const std::vector<Evaluation> values = levels ? levels->front().screen(points) : screen(points);
    for (std::size_t k = 0; k < values.size(); ++k) {
      ++result.screened;
      if (values[k].ok() && std::isfinite(values[k].value))
        order.emplace_back(values[k].value, first + done + k);
      else
        ++result.screening_failures;
    }
  }
  std::sort(order.begin(), order.end());
  std::vector<std::vector<double>> chosen;
  for (auto [value, point] : order) chosen.push_back(points_[point]);
  if (chosen.empty()) chosen.push_back(points_[first]);
  return chosen;
}

StartResult MultiStart::run_one(std::size_t index) const {
  auto began = std::chrono::steady_clock::now();
  StartResult result;
  result.index = index;
  result.given = index < options_.given.size();
  std::vector<std::vector<double>> order = candidates(index, result);
  const std::vector<ContinuationLevel>* levels = levels_of_start(index);
  const bool continues = levels != nullptr;
  const std::vector<double> candidate = order.front();
  std::size_t most = 1 + options_.replacements;
  if (continues) {
    ContinuationResult up =
        run_continuation(*levels, order, options_.candidate_pool, options_.local);
    order = std::move(up.arrived);
    count(result, up);
    // Units of the log-likelihood, or a share of the sum of squares if the noise is unknown.
    const double far_behind = objective_.unknown_noise() ? 0.1 * up.reached[0] : 5;
    std::size_t near = 1;
    while (near < order.size() && up.reached[near] < up.reached[0] + far_behind) ++near;
    most = std::min(most, near);
  }
  most = std::min(order.size(), most);
  for (std::size_t k = 0; k < most; ++k) {
    LocalFit fit = options_.method(objective_, order[k], options_.local);
    ++result.descents;
    count(result, fit);
    FitOutcome outcome = fit.outcome;
    if (outcome == FitOutcome::flat) ++result.plateaus;
    if (outcome == FitOutcome::failed) ++result.unusable;
    bool leave = outcome == FitOutcome::flat || outcome == FitOutcome::failed;
    bool lower = !result.fit.usable() || (fit.usable() && fit.at.value < result.fit.at.value);
    // All that have reached the last level are followed, and the best one counts.
    if (k == 0 || lower || (!leave && !continues)) result.fit = std::move(fit);
    if (!leave && !continues) break;
  }
  if (continues && options_.basin_hop) hop_basins(result, candidate);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

// A model that has come into step with most of the data is often near a better minimum; one that
// has not is not worth the time. `candidate` is what the start would have been without the
// continuation.
void MultiStart::hop_basins(StartResult& result, const std::vector<double>& candidate) const {
  constexpr double in_step = 0.2;  // units of the objective for each measurement
  constexpr double worth_an_end = 0.5, clearly_better = 0.01;  // units
  if (!result.fit.usable()) return;
  const Evaluation before = screen({&candidate, 1}).front();
  const double unit = value_unit(objective_, result.fit.at);
  if (!before.ok() || result.fit.at.value > before.value - in_step * unit * objective_.data_count())
    return;
  SplitMix random = stream(options_.seed, result.index);
  for (std::size_t misses = 0; misses < options_.basin_hops;) {
    if (interrupted()) return;
    ++misses;
    LocalFit fit = options_.basin_hop(result.fit.x, random.next(), options_.local);
    ++result.descents;
    count(result, fit);
    if (!fit.usable() || fit.at.value > result.fit.at.value + worth_an_end * unit) continue;
    fit = options_.method(objective_, fit.x, options_.local);
    count(result, fit);
    if (!fit.usable() || !(fit.at.value < result.fit.at.value)) continue;
    if (fit.at.value < result.fit.at.value - clearly_better * unit) misses = 0;
    fit.start = result.fit.start;
    fit.start_value = result.fit.start_value;
    result.fit = std::move(fit);
  }
}

std::vector<StartResult> MultiStart::run() {
  std::vector<std::optional<StartResult>> slots(options_.starts);
  for (StartResult& old : finished)
    if (old.index < slots.size()) slots[old.index] = old;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (!slots[i]) wanted.push_back(i);
  auto arrived = [&](StartResult result) {
    const bool whole = result.fit.outcome != FitOutcome::interrupted && !interrupted();
    std::optional<StartResult>& slot = slots[result.index];
    slot = std::move(result);
    if (whole && on_finished) on_finished(*slot);
  };
  std::mutex mutex;
  unless_interrupted([&] {
    if (spread) return spread(wanted, arrived);
    for_each_index(wanted.size(), options_.threads, [&](std::size_t k) {
      if (interrupted()) return;
      StartResult result = run_one(wanted[k]);
      std::lock_guard lock(mutex);
      arrived(std::move(result));
    });
  });
  std::vector<StartResult> results;
  for (auto& slot : slots)
    if (slot) results.push_back(std::move(*slot));
  return results;
}

std::vector<std::size_t> ranked(const std::vector<StartResult>& results) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].fit.usable()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return results[a].fit.at.value < results[b].fit.at.value;
  });
  return order;
}

void mark_plateaus(const Objective& objective, std::vector<StartResult>& results) {
  constexpr double clearly_worse = 5;  // units of the objective
  std::vector<std::size_t> order = ranked(results);
  if (order.empty()) return;
  const LocalFit& best = results[order[0]].fit;
  double unit = value_unit(objective, best.at);
  for (StartResult& r : results) {
    if (r.fit.outcome != FitOutcome::converged) continue;
    if (r.fit.at.value - best.at.value < clearly_worse * unit) continue;
    if (r.fit.insensitive.size() <= best.insensitive.size()) continue;
    r.fit.outcome = FitOutcome::flat;
    r.fit.message = "a plateau: " + std::to_string(r.fit.insensitive.size()) +
                    " estimated parameters have no effect there, " +
                    std::to_string(best.insensitive.size()) + " at the best point";
    ++r.plateaus;
  }
}

std::vector<Minimum> distinct_minima(const Objective& objective,
                                     const std::vector<StartResult>& results) {
  // Units of the objective; squared distance in the Fisher metric. Along a curved valley points of
  // one minimum are far apart, so the distance alone does not tell.
  constexpr double same_value = 0.1, surely_same_value = 0.01, same_place = 25;
  std::vector<Minimum> minima;
  for (std::size_t i : ranked(results)) {
    const LocalFit& fit = results[i].fit;
    if (fit.outcome != FitOutcome::converged) continue;
    bool known = false;
    for (Minimum& m : minima) {
      const LocalFit& other = results[m.result].fit;
      double unit = value_unit(objective, other.at);
      if (fit.at.value - other.at.value > same_value * unit) continue;
      std::size_t n = fit.x.size();
      double distance = 0;
      for (std::size_t a = 0; a < n; ++a)
        for (std::size_t b = 0; b < n; ++b)
          distance +=
              (fit.x[a] - other.x[a]) * other.at.fisher[a * n + b] * (fit.x[b] - other.x[b]);
      if (distance > same_place * unit && fit.at.value - other.at.value > surely_same_value * unit)
        continue;
      ++m.starts;
      known = true;
      break;
    }
    if (!known) minima.push_back({i, 1});
  }
  return minima;
}

}  // namespace stiffit::internal
