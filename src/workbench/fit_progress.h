// How far a fit is, as a JSON document that is kept up to date in a file: starts done, the best
// point so far, and what the model says there about the data. For whoever watches the run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "fit/multi_start.h"
#include "objective/problem_objective.h"

namespace stiffit {

class FitProgress {
 public:
  FitProgress(std::string file, const ProblemObjective& objective, std::size_t starts);
  // Starts as they end; not from two threads at once.
  void finished(const StartResult& start);

 private:
  void write();
  void predict(const std::vector<double>& theta);

  std::string file_;
  const ProblemObjective& objective_;
  std::size_t starts_, done_ = 0;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double best_ = std::numeric_limits<double>::infinity();
  std::vector<double> theta_;
  std::vector<Prediction> predictions_;
  std::vector<std::pair<std::size_t, double>> trace_;  // starts done, best value
};

}  // namespace stiffit
