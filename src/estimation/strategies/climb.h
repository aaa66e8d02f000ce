// Candidates of one start climb a ladder of easier problems, each the start of the next one's
// descent; the worst third is left behind at every rung.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "estimation/optimizers/local_fit.h"

namespace stiffit {

// Values alone at many points.
using Screen = std::function<std::vector<Evaluation>(std::span<const std::vector<double>>)>;

// An easier problem with the same unknowns.
struct Rung {
  std::function<LocalFit(std::span<const double> start, const LocalOptions&)> fit;
  Screen screen;
};

struct Climb {
  std::vector<std::vector<double>> arrived;  // the best first
  std::vector<double> reached;               // their values on the last rung
  long values = 0, gradients = 0, failures = 0;
};

// `candidates`: the most promising first; `field` of them begin. Short descents: they have to find
// the valley, not its end.
Climb climb(const std::vector<Rung>& rungs, const std::vector<std::vector<double>>& candidates,
            std::size_t field, LocalOptions options);

}  // namespace stiffit
