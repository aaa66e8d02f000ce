// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/refine_from_samples.h"

#include <cmath>

#include "base/threads.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/pipeline/fit_run.h"

namespace stiffit::internal {
namespace {

constexpr double clearly = 0.01;  // units of the objective, as two minima are told apart by

}  // namespace

double refine_from_samples(const Objective& objective, const PosteriorChains& chains,
                           const LocalOptions& options, int threads, FitSummary& fit) {
  LocalOptions local = options;
  local.on_step = {};
  const LocalFit before = fit.best().fit;
  const double least = clearly * value_unit(objective, before.at);
  StartResult found;
  found.fit = before;
  bool better = false;
  for (std::size_t part = 0; part < chains.groups().size(); ++part) {
    // Groups of unknowns have their places each: what one has found is kept for the next.
    const std::vector<std::vector<double>> ends = chains.explored(part, found.fit.x);
    std::vector<LocalFit> descents(ends.size());
    for_each_index(ends.size(), threads, [&](std::size_t k) {
      descents[k] = fit_trust_region(objective, ends[k], local);
    });
    if (local.interrupt && local.interrupt->load()) return std::nan("");
    const double so_far = found.fit.at.value;
    for (LocalFit& descent : descents) {
      ++found.descents;
      found.values += descent.values;
      found.gradients += descent.gradients;
      found.failures += descent.failures;
      if (!descent.usable() || !(descent.at.value < found.fit.at.value) ||
          !(descent.at.value < so_far - least))
        continue;
      found.fit = std::move(descent);
      better = true;
    }
  }
  if (!better) return std::nan("");
  for (const StartResult& start : fit.starts) found.index = std::max(found.index, start.index + 1);
  fit.starts.push_back(std::move(found));
  rank_starts(objective, fit);
  return before.at.value;
}

}  // namespace stiffit::internal
