// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/population/population_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimation/strategies/starts.h"

namespace stiffit::internal {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

// The best so far, and what is needed to go on.
struct Progress {
  long generation = 0;
  double best = none, chi2 = 0;
  std::vector<double> x;

  void save(RecordWriter& out, const LocalFit& fit) const {
    out.whole(generation);
    out.number(best);
    out.number(chi2);
    out.numbers(x);
    out.whole(fit.values);
    out.whole(fit.failures);
    out.number(fit.start_value);
  }
  void restore(RecordReader& from, LocalFit& fit) {
    generation = from.whole();
    best = from.number();
    chi2 = from.number();
    x = from.numbers();
    fit.values = from.whole();
    fit.failures = from.whole();
    fit.start_value = from.number();
  }
};

void advance(const Objective& objective, Search& search, int threads, Progress& progress,
             LocalFit& fit) {
  const Points points = search.ask();
  const std::vector<Evaluation> evaluations = objective.values(points, threads);
  std::vector<double> values;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Evaluation& e = evaluations[k];
    const bool sound = e.ok() && std::isfinite(e.value);
    values.push_back(sound ? e.value : none);
    ++fit.values;
    if (!sound) {
      ++fit.failures;
      fit.last_failure = e.failure;
    }
    if (values[k] < progress.best) {
      progress.best = values[k];
      progress.chi2 = e.chi2;
      progress.x = points[k];
    }
  }
  search.tell(points, values);
  ++progress.generation;
}

void evaluate_end(const Objective& objective, LocalFit& fit) {
  fit.at = objective.evaluate(fit.x, Need::fisher);
  ++fit.gradients;
  fit.insensitive = insensitive_unknowns(objective, fit.at);
  if (fit.at.ok()) return;
  fit.outcome = FitOutcome::failed;
  fit.message = fit.at.failure;
}

}  // namespace

long most_generations(const PopulationOptions& options) {
  if (options.generations > 0) return options.generations;
  return options.search.kind == PopulationKind::evolution ? 400 : 2000;
}

void place_population(const std::vector<EstimatedParameter>& unknowns,
                      std::span<const double> start, double spread, SearchOptions& options) {
  const Quantile within = uniform_in_bounds(unknowns);
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    double from = within(i, 0), to = within(i, 1);
    if (!start.empty()) {
      const double half = spread > 0 ? spread : (to - from) / 4;
      from = std::max(unknowns[i].lower, start[i] - half);
      to = std::min(unknowns[i].upper, start[i] + half);
    }
    options.from.push_back(from);
    options.to.push_back(to);
  }
}

LocalFit fit_population(const Objective& objective, std::span<const double> start,
                        const LocalOptions& local, const PopulationOptions& options) {
  const long most = most_generations(options);
  LocalFit fit;
  fit.start.assign(start.begin(), start.end());
  auto search = make_search(objective.unknowns(), options.search);
  Progress progress;
  if (!options.resume.empty()) {
    RecordReader from(options.resume);
    progress.restore(from, fit);
    search->restore(from);
    from.finish();
  } else {
    const Evaluation e = objective.evaluate(start, Need::value);
    ++fit.values;
    fit.start_value = e.ok() ? e.value : std::nan("");
    if (e.ok()) progress = {0, e.value, e.chi2, fit.start};
  }
  fit.outcome = FitOutcome::iterations;
  fit.message = std::to_string(most) + " generations";
  auto stopped = [&] { return local.interrupt && local.interrupt->load(); };
  while (progress.generation < most && !stopped()) {
    advance(objective, *search, options.threads, progress, fit);
    if (stopped()) break;  // some of the values may be missing
    if (options.on_generation)
      options.on_generation(progress.generation, progress.best, progress.x, [&] {
        RecordWriter out;
        progress.save(out, fit);
        search->save(out);
        return out.bytes();
      });
    Evaluation best;
    best.chi2 = progress.chi2;
    if (std::isfinite(progress.best) && search->at_rest(value_unit(objective, best))) {
      fit.outcome = FitOutcome::converged;
      fit.message = "the population came to rest after " + std::to_string(progress.generation) +
                    " generations";
      break;
    }
  }
  fit.iterations = static_cast<int>(progress.generation);
  if (progress.x.empty()) {
    fit.outcome = FitOutcome::failed;
    fit.x = fit.start;
    fit.message = "no individual could be evaluated: " + fit.last_failure;
    return fit;
  }
  fit.x = progress.x;
  if (stopped()) {
    fit.outcome = FitOutcome::interrupted;
    fit.message = "interrupted";
  } else if (options.polish) {
    LocalFit end = options.polish(objective, fit.x, local);
    fit.gradients += end.gradients;
    fit.values += end.values;
    fit.failures += end.failures;
    if (!end.message.empty()) fit.message += "; then " + end.message;
    fit.x = end.x;
    fit.at = end.at;
    fit.insensitive = end.insensitive;
    if (!end.message.empty() || !end.usable()) fit.outcome = end.outcome;
    return fit;
  }
  evaluate_end(objective, fit);
  return fit;
}

}  // namespace stiffit::internal
