// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/claims/combinations.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/interrupt.h"
#include "base/number.h"
#include "estimation/uncertainty/verdict.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_doubtful = 12, most_constants = 12;

// Those that two limits do not tell, which may go their way together.
std::vector<std::size_t> doubtful_of(const FitStatistics& s) {
  std::vector<std::pair<double, std::size_t>> found;
  const std::size_t m = s.free.size();
  for (std::size_t i = 0; i < s.each.size(); ++i) {
    const ParameterStatistics& u = s.each[i];
    const bool told = u.identifiability == Identifiability::determined ||
                      u.identifiability == Identifiability::roughly_determined;
    // What is told only while another stays at its bound may go with that one.
    if ((told && u.sheltered_by.empty()) || u.identifiability == Identifiability::not_judged)
      continue;
    double tied = 0;  // the closest correlation; unknown ones are of what is not determined
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b) {
        if (a == b || static_cast<std::size_t>(s.free[a]) != i) continue;
        const double r = std::abs(s.correlation[a * m + b]);
        tied = std::max(tied, std::isnan(r) ? 1 : r);
      }
    found.emplace_back(-tied, i);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (found.size() > most_doubtful) found.resize(most_doubtful);
  std::vector<std::size_t> order;
  for (const auto& one : found) order.push_back(one.second);
  std::sort(order.begin(), order.end());
  return order;
}

// Parameters of the model that are the same in all experiments and not estimated.
std::vector<std::pair<std::string, double>> constants_of(
    const FitProblem& problem, const std::vector<EstimatedParameter>& unknowns) {
  std::vector<std::pair<std::string, double>> found;
  if (!problem.model) return found;
  for (std::size_t k = 0; k < problem.model->parameters.size(); ++k) {
    const Parameter& p = problem.model->parameters[k];
    const bool plain = p.constant && std::isfinite(p.value) && p.value > 0;
    const bool estimated =
        std::any_of(unknowns.begin(), unknowns.end(), [&](const auto& u) { return u.id == p.id; });
    bool set = std::any_of(problem.parameters.begin(), problem.parameters.end(),
                           [&](const auto& q) { return q.id == p.id; });
    for (const Experiment& e : problem.experiments)
      for (const Period& period : e.periods)
        for (const ConditionAssignment& a : period.assignments)
          set = set || (a.target.kind == SymbolKind::parameter &&
                        static_cast<std::size_t>(a.target.index) == k);
    if (plain && !estimated && !set) found.emplace_back(p.id, p.value);
  }
  if (found.size() > most_constants) found.clear();
  return found;
}

void add_ranges(const FitProblem& problem, std::vector<double>& ranges) {
  std::map<int, std::pair<double, double>> ends;
  for (const Measurement& m : problem.measurements) {
    auto [at, fresh] = ends.try_emplace(m.observable, m.value, m.value);
    at->second.first = std::min(at->second.first, m.value);
    at->second.second = std::max(at->second.second, m.value);
  }
  for (const Measurement& m : problem.measurements) {
    const auto [low, high] = ends[m.observable];
    ranges.push_back(high > low ? high - low : std::abs(high));
  }
  for (const FitProblem& part : problem.parts) add_ranges(part, ranges);
}

}  // namespace

double tested_unit(const ProblemObjective& objective, const Evaluation& at) {
  constexpr double computed = 1e-6;  // of the range: as errors of integrations, not of measurements
  const double unit = value_unit(objective, at);
  if (!objective.unknown_noise()) return unit;
  std::vector<double> ranges;
  add_ranges(objective.problem(), ranges);
  double squares = 0;
  for (double r : ranges)
    if (std::isfinite(r)) squares += r * r;
  return std::max(
      unit, computed * computed * squares / std::max(1.0, static_cast<double>(ranges.size())));
}

CombinationEffort effort_for(const FitSummary& fit, const FitRequest& request) {
  constexpr long fewest = 1500, most = 20000;
  CombinationEffort effort;
  long evaluations = 0;
  for (const StartResult& s : fit.starts) evaluations += s.fit.values + s.fit.gradients;
  effort.evaluations = std::clamp(2 * evaluations, fewest, most);
  effort.threads = request.options.threads;
  effort.local = request.options.local;
  return effort;
}

bool add_combinations(FitStatistics& s, const ProblemObjective& objective, const LocalFit& best,
                      const CombinationEffort& effort, std::vector<std::string>& messages) {
  if (!best.at_minimum()) return true;
  ValleyOptions options;
  options.quantile = s.single_quantile;
  options.unit = tested_unit(objective, best.at);
  options.max_evaluations = effort.evaluations;
  options.deadline = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                         std::chrono::duration<double>(effort.seconds));
  options.threads = effort.threads;
  options.local = effort.local;
  options.local.on_step = {};
  options.local.max_iterations = std::min(100, effort.local.max_iterations);
  options.local.value_tolerance = 1e-4;
  bool whole = true;
  const bool through = unless_interrupted([&] {
    test_null_directions(s, objective, best, options.unit);
    // Another minimum that fits as well has combinations of its own.
    if (!std::isfinite(options.quantile) || !(options.unit > 0) || !s.rivals.empty()) return;
    const std::vector<std::size_t> doubtful = doubtful_of(s);
    if (doubtful.empty()) return;
    const CombinationSearch search =
        find_combinations(objective, best, doubtful,
                          constants_of(objective.problem(), objective.unknowns()), options);
    whole = !(effort.local.interrupt && effort.local.interrupt->load());
    if (!whole) return;
    if (search.better) {
      messages.push_back(
          "a better fit was met while combinations were looked for, so that none is named; more "
          "--starts may find it");
      return;
    }
    if (search.unfinished)
      messages.push_back(
          "combinations were not looked for to the end: " + std::to_string(search.evaluations) +
          " evaluations, or " + format_short(effort.seconds) + " s, were not enough");
    judge_by_combinations(s, search);
  });
  return through && whole;
}

void add_combinations(FitSummary& fit, const ProblemObjective& objective,
                      const FitRequest& request) {
  if (!fit.found() || fit.interrupted) return;
  if (!add_combinations(fit.statistics, objective, fit.best().fit, effort_for(fit, request),
                        fit.messages))
    fit.interrupted = true;
}

}  // namespace stiffit::internal
