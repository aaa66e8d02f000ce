// The points that fit the data as well as the best one, as far as one gets along single unknowns:
// each is moved by a factor of 3 and more, or to its bound, and the others are fitted anew.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <chrono>
#include <optional>

#include "estimation/optimizers/local_fit.h"

namespace stiffit::internal {

struct ValleyOptions {
  double quantile = 3.841;       // of 2 (value - minimum) / unit: where the valley ends
  double unit = 1;               // of the objective
  long max_evaluations = 20000;  // of everything
  std::optional<std::chrono::steady_clock::time_point> deadline;
  int threads = 1;
  LocalOptions local;
};

struct ValleyPoint {
  std::vector<double> x;
  double ratio = 0;
  std::size_t moved = 0;       // the unknown that was held there
  bool near = true;            // not beyond a factor of 3
  Eigen::MatrixXd covariance;  // of theta around it with that one held
};

// From the best point along one unknown, in one direction.
struct ValleyWay {
  std::size_t unknown = 0;
  int direction = 1;
  // Of `points`, the one at a factor of 3, or at the bound where that is nearer; -1: the valley
  // ends before.
  int test = -1;
  std::vector<ValleyPoint> points;  // outwards, within the valley
  long evaluations = 0;
  bool unfinished = false;  // out of evaluations or time, or interrupted
  bool better = false;      // a better fit was met; then nothing else counts
};

struct Valley {
  std::vector<ValleyWay> ways;      // two of each unknown
  std::vector<ValleyPoint> beyond;  // from the ends of those along others
  long evaluations = 0;
  bool unfinished = false, better = false;

  const ValleyWay& way(std::size_t unknown, int direction) const;
  // The unknown moved by a factor of 3, or through half of its range, in both directions together.
  bool is_open(std::size_t unknown, const std::vector<EstimatedParameter>& unknowns,
               const LocalFit& best) const;
};

Valley follow_valley(const Objective& objective, const LocalFit& best,
                     const std::vector<std::size_t>& along, const ValleyOptions& options);

// Where an unknown is moved to, outwards, within its bounds, and which of these is the factor of 3
// (or the bound).
struct ValleyStops {
  std::vector<double> thetas;
  int test = -1;
};
ValleyStops valley_stops(const EstimatedParameter& unknown, double theta, int direction);

}  // namespace stiffit::internal
