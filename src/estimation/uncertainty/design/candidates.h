// What could be measured next: the observables that there are, and species said to be measurable,
// at many times of every experiment, each with an error like those of the data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "estimation/objective/problem_objective.h"
#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

struct DesignPoint {
  std::string experiment, quantity;
  double time = 0;                  // infinite: at the steady state
  double error = 0;                 // standard, that is assumed of it
  bool measured = false;            // there are data of the quantity already
  std::vector<std::string> within;  // measured observables that contain it, if there are none
};

struct Candidate {
  DesignPoint point;
  std::size_t part = 0;
  Measurement measurement;  // its observable is one of Candidates::problem
  double error = 0;         // as the objective counts: of noise of unknown size a share
  Eigen::VectorXd slopes;   // of the prediction by the thetas
};

struct Candidates {
  FitProblem problem;  // the same, with what is newly measurable among its observables
  std::vector<Candidate> list;
  std::vector<std::string> refused;  // species that would drown in errors like those of the data
};

// Throws OptionError where a name is not that of a species, or observable, that varies.
void check_measurable(const std::vector<std::string>& names, const FitProblem& problem);

// Empty if the model cannot be simulated there or the problem is so large that it would take long.
Candidates design_candidates(const ProblemObjective& objective, const std::vector<double>& best,
                             const FitStatistics& statistics,
                             const std::vector<std::string>& measurable,
                             const ObjectiveOptions& options);

// The problem with the chosen ones measured, as the model predicts them.
FitProblem with_design(const Candidates& candidates, const std::vector<std::size_t>& chosen);

}  // namespace stiffit::internal
