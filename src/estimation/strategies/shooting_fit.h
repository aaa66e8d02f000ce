// Multiple shooting on the way to a minimum: a descent with the course in pieces, whose gaps are
// closed level by level, and then one with the course whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "estimation/objective/projected_objective.h"
#include "estimation/optimizers/local_fit.h"

namespace stiffit::internal {

// Where to cut: at the turns of data that go up and down, else a few evenly chosen times of
// measurement.
std::vector<double> cut_times(const FitProblem& problem);

class ShootingFit {
 public:
  // `times`: where the course is cut. `end`: the whole problem, which must live as long. Null where
  // the problem cannot be cut, or has too many states for it.
  static std::unique_ptr<ShootingFit> make(const FitProblem& problem,
                                           const std::vector<double>& times,
                                           const ObjectiveOptions& options,
                                           const ProjectedObjective& end);

  // Points are of the whole problem, and so is the value at the end.
  LocalFit fit(std::span<const double> start, const LocalOptions& options) const;
  // From a point near `from`, the pieces beginning as the course from there has them. The seed says
  // how near and in which direction, and how wide the gaps are opened.
  LocalFit basin_hop(std::span<const double> from, std::uint64_t seed,
                     const LocalOptions& options) const;

 private:
  explicit ShootingFit(const ProjectedObjective& end) : end_(end) {}
  LocalFit descend(std::span<const double> start, std::span<const double> course, std::size_t first,
                   const LocalOptions& options) const;

  const ProjectedObjective& end_;
  std::vector<std::unique_ptr<ProjectedObjective>> levels_;  // gaps ever smaller
  std::unique_ptr<ProblemObjective> cuts_;
};

}  // namespace stiffit::internal
