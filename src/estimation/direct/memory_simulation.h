// Simulation of a model with memories, name(t) = int K(t - s) signal(s) ds with any kernel: the
// memory is a curve of straight lines that the model is given as an input, and that is computed
// anew from the signal until both agree (Picard's iteration, which a Volterra equation allows).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "estimation/direct/fit_equations.h"
#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

class MemorySimulation {
 public:
  MemorySimulation(const FitProblem& problem, std::vector<Memory> memories,
                   const ObjectiveOptions& accuracy);

  // The problem's measurements at a point of its unknowns. Empty with the reason in `failure`.
  std::vector<Prediction> predict(std::span<const double> theta, std::string& failure);
  // The problem with the memories as they were found last, given as inputs.
  FitProblem with_memories() const { return built(false); }

 private:
  FitProblem built(bool open) const;
  void place_grid();
  // The memories that the signals of these predictions make.
  std::vector<double> remembered(const std::vector<Prediction>& predicted) const;
  std::size_t knots() const { return grid_.size(); }
  std::size_t values() const { return problem_.experiments.size() * memories_.size() * knots(); }

  FitProblem problem_;
  std::vector<Memory> memories_;
  std::vector<double> grid_;
  std::vector<double> values_;  // [experiment][memory][knot]
  std::unique_ptr<const ProblemObjective> objective_;
};

}  // namespace stiffit::internal
