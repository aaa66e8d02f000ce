// How far a fit is, as a JSON document that is kept up to date in a file: starts done, the best
// point so far, and what the model says there about the data. For whoever watches the run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "estimation/objective/course_problem.h"
#include "estimation/objective/problem_objective.h"
#include "estimation/strategies/multi_start.h"

namespace stiffit::internal {

class FitProgress {
 public:
  FitProgress(std::string file, const ProblemObjective& objective, ObjectiveOptions options,
              std::size_t starts);
  // Starts as they end.
  void finished(const StartResult& start);
  // Where a descent stands; may be called from any thread, and often.
  void step(std::span<const double> theta, double value);

 private:
  // Of starts that have ended, and of descents on their way, which may be rough.
  struct Point {
    double value = std::numeric_limits<double>::infinity();
    std::vector<double> theta;
  };

  const Point& shown() const;
  void note(double value);
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
  Point best_, live_;
  std::vector<double> predicted_at_;
  std::vector<Prediction> predictions_;
  std::size_t steps_ = 0;                              // of all descents
  std::vector<std::pair<std::size_t, double>> trace_;  // steps, best value
  std::chrono::steady_clock::time_point next_write_;
  std::mutex mutex_;
};

}  // namespace stiffit::internal
