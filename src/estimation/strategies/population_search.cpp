// SPDX-License-Identifier: Apache-2.0
#include "estimation/strategies/population_search.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <mutex>

#include "base/splitmix.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/strategies/reduced_fit.h"

namespace stiffit::internal {
namespace {

// A start's own number: runs of the same seed from different places draw differently.
std::uint64_t number_of(std::span<const double> start, std::uint64_t seed) {
  std::uint64_t number = SplitMix(seed).next();
  for (double x : start) number = SplitMix(number ^ std::bit_cast<std::uint64_t>(x)).next();
  return number;
}

// What a search has found is kept, also where nothing but its value can be had.
bool keep_value(const Objective& objective, LocalFit& fit) {
  const std::size_t n = fit.x.size();
  fit.at = objective.evaluate(fit.x, Need::value);
  fit.at.gradient.assign(n, std::numeric_limits<double>::quiet_NaN());
  fit.at.fisher.assign(n * n, 0);
  return fit.at.ok();
}

// The best individual with all unknowns, where it can be evaluated as the fit wants it.
LocalFit end_of(const ObjectiveLevels& levels, std::span<const double> outer,
                const LocalOptions& local, bool descend) {
  LocalFit fit;
  std::string failure;
  fit.x = levels.rough->complete(outer, failure);
  if (failure.empty() && descend) {
    LocalFit end = fit_trust_region(*levels.whole, fit.x, local);
    end.message = "a descent: " + end.message;
    if (end.usable() || end.outcome == FitOutcome::interrupted) return end;
    fit.message = "a descent from there was not possible: " + end.message;
  }
  fit.outcome = FitOutcome::iterations;
  if (failure.empty()) {
    fit.at = levels.whole->evaluate(fit.x, Need::fisher);
    fit.gradients = 1;
    failure = fit.at.failure;
    if (failure.empty()) {
      fit.insensitive = insensitive_unknowns(*levels.whole, fit.at);
    } else if (keep_value(*levels.whole, fit)) {
      fit.message +=
          (fit.message.empty() ? "" : "; ") + std::string("no derivatives there: ") + failure;
      failure.clear();
    }
  }
  if (!failure.empty()) {
    fit.outcome = FitOutcome::failed;
    fit.message = failure;
  }
  return fit;
}

}  // namespace

MultiStartOptions with_population_search(MultiStartOptions options,
                                         std::shared_ptr<const ObjectiveLevels> levels,
                                         PopulationSearch search) {
  options.screened = 1;  // a population needs no screening
  options.replacements = 0;
  options.continuation_levels.clear();
  options.screen = [](std::span<const std::vector<double>> points) {
    return std::vector<Evaluation>(points.size());
  };
  const auto starts = static_cast<int>(std::max<std::size_t>(1, options.starts));
  const int threads = std::max(1, options.threads / starts);
  const std::vector<std::vector<double>> given = options.given;
  const auto watching = std::make_shared<std::mutex>();
  options.method = [levels, search, given, threads, watching](
                       const Objective&, std::span<const double> start, const LocalOptions& local) {
    const std::vector<double> point(start.begin(), start.end());
    const std::vector<double> outer = reduced_point(start, levels->rough->projected());
    SearchHooks hooks;
    hooks.threads = threads;
    hooks.around_start = std::find(given.begin(), given.end(), point) != given.end();
    hooks.seed = number_of(start, search.seed);
    hooks.polish = [&](std::span<const double> best, const LocalOptions& o) {
      return end_of(*levels, best, o, search.descend);
    };
    if (search.states) hooks.resume = search.states->find(hooks.seed);
    hooks.on_generation = [&, number = hooks.seed, next = std::chrono::steady_clock::now()](
                              double value, std::span<const double> best,
                              const std::function<std::string()>& state) mutable {
      if (search.watch) {
        std::lock_guard lock(*watching);
        search.watch(value, best, levels->rough->unknowns());
      }
      if (!search.states || std::chrono::steady_clock::now() < next) return;
      search.states->keep(number, state());
      next = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    };
    const Objective& evaluated = search.evaluated ? *search.evaluated : *levels->rough;
    LocalFit fit = search.optimizer->minimize(evaluated, outer, local, hooks);
    fit.start = point;
    if (fit.outcome == FitOutcome::failed) fit.x = point;
    if (fit.outcome == FitOutcome::interrupted) {
      std::string failure;
      fit.x = levels->rough->complete(fit.x, failure);
      fit.at = Evaluation();
      fit.at.failure = "interrupted";
    }
    return fit;
  };
  return options;
}

}  // namespace stiffit::internal
