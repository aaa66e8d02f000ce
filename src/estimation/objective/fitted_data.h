// Every measurement beside what the fitted model says of it, and the fitted curves between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "estimation/objective/course_problem.h"
#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

struct FittedDatum {
  std::string observable, experiment, dataset;
  double time = 0;
  Censoring censoring = Censoring::none;  // the measurement is a limit; its residual is NaN
  double measurement = 0, simulation = 0;
  double noise = 0;     // standard deviation (Laplace: scale), on the transformed scale
  double residual = 0;  // (measurement - simulation)/noise there
  Transformation transformation = Transformation::none;
  NoiseKind kind = NoiseKind::normal;
  double freedom = not_set;  // of a Student t distribution
  // Simulations of one curve; measurements with other scales or offsets are on another.
  std::string curve;
};

// At theta; `deviation` is what unknown noise was estimated to be (1: it is known). Empty with the
// reason in `failure`.
std::vector<FittedDatum> fitted_data(const ProblemObjective& objective,
                                     const std::vector<double>& theta, double deviation,
                                     std::string& failure);

// Time courses of every species and observable at theta. No values if that failed.
struct FittedCurves {
  std::vector<CoursePoint> points;
  std::vector<double> values;
};
FittedCurves fitted_curves(const FitProblem& problem, const ObjectiveOptions& options,
                           const std::vector<double>& theta, int intervals);

// The model with its unknowns at theta, as the first experiment with data begins it, and that
// experiment's name and times.
struct FittedModel {
  std::shared_ptr<const Model> model;
  std::string experiment;
  double start = 0, end = 0;
};
FittedModel fitted_model(const FitProblem& problem, const std::vector<EstimatedParameter>& unknowns,
                         const std::vector<double>& theta);

}  // namespace stiffit::internal
