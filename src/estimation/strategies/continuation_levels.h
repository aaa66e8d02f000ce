// Candidates of one start go through continuation levels, easier problems, each the start of the
// next one's descent; the worst third is left behind at every level. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "estimation/optimizers/local_fit.h"

namespace stiffit::internal {

// Values alone at many points.
using Screen = std::function<std::vector<Evaluation>(std::span<const std::vector<double>>)>;

// An easier problem with the same unknowns.
struct ContinuationLevel {
  std::function<LocalFit(std::span<const double> start, const LocalOptions&)> fit;
  Screen screen;
};

struct ContinuationResult {
  std::vector<std::vector<double>> arrived;  // the best first
  std::vector<double> reached;               // their values on the last level
  long values = 0, gradients = 0, failures = 0;
};

// `candidates`: the most promising first; `candidate_pool` of them begin. Short descents: they have
// to find the valley, not its end.
ContinuationResult run_continuation(const std::vector<ContinuationLevel>& levels,
                                    const std::vector<std::vector<double>>& candidates,
                                    std::size_t candidate_pool, LocalOptions options);

}  // namespace stiffit::internal
