// The confidence region of two unknowns at once: the contour at which 2 (value - minimum), all
// others fitted anew at every point, passes the chi-square quantile with two degrees of freedom (or
// twice that of F). The contour is followed, so that it may have any shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/uncertainty/profile.h"

namespace stiffit::internal {

struct PairPoint {
  double a = 0, b = 0;  // thetas
  double ratio = 0;     // near the threshold; below it where the contour runs along a bound
  std::vector<double> x;
};

struct PairRegion {
  std::size_t first = 0, second = 0;  // unknowns
  double threshold = 0;
  bool closed = false;            // the contour comes back to where it began
  std::vector<PairPoint> points;  // in the order in which they were followed
  // The parameter has a bound that the region reaches; in words.
  std::vector<std::string> at_bounds;
  ProfileStop stop = ProfileStop::threshold;  // or limit, unintegrable, better, interrupted
  std::string message;
  long evaluations = 0;
};

// Quantile for two at once.
double pair_quantile(const Objective& objective, double level);

PairRegion follow_pair(const Objective& objective, const LocalFit& best, std::size_t first,
                       std::size_t second, const ProfileOptions& options);

}  // namespace stiffit::internal
