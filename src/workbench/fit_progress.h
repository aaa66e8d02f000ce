// How far a fit is, as a JSON document that is kept up to date in a file: starts done, the best
// point so far, and what the model says there about the data. For whoever watches the run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fit/multi_start.h"
#include "objective/course_problem.h"
#include "objective/problem_objective.h"

namespace stiffit {

class FitProgress {
 public:
  FitProgress(std::string file, const ProblemObjective& objective, ObjectiveOptions options,
              std::size_t starts);
  // Starts as they end; not from two threads at once.
  void finished(const StartResult& start);

 private:
  void write();
  void prepare_course();
  // Times and values of an observable in an experiment; of none if they are not known.
  std::vector<std::pair<double, double>> curve(const std::string& experiment,
                                               const std::string& observable) const;
  void predict(const std::vector<double>& theta);

  std::string file_;
  const ProblemObjective& objective_;
  ObjectiveOptions options_;
  // The curves between the data; made when there is a point to show. Null: too large, or not yet.
  std::unique_ptr<const ProblemObjective> course_;
  std::vector<CoursePoint> course_points_;
  std::vector<Prediction> course_values_;
  std::size_t starts_, done_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double best_ = std::numeric_limits<double>::infinity();
  std::vector<double> theta_;
  std::vector<Prediction> predictions_;
  std::vector<std::pair<std::size_t, double>> trace_;  // starts done, best value
};

}  // namespace stiffit
