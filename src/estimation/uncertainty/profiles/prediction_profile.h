// The profile likelihood of a predicted value: how far it can be moved while the data still fit.
// The value is pulled away from its estimate by one more term of the objective; where such a fit
// ends, no other point with the same value fits better, whatever the pull was (Kreutz, Raue and
// Timmer, BMC Systems Biology 2012).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/uncertainty/profile.h"

namespace stiffit::internal {

struct PredictionPoint {
  double prediction = 0, value = 0;  // of the prediction, and of the objective
  double ratio = 0;                  // passes the quantile at the limit
  std::vector<double> x;
};

struct PredictionSide {
  int direction = 1;
  // threshold; bound: no parameter within its bounds predicts more, the limit is that value;
  // flat: it can go as far as one likes; better, unintegrable, limit, interrupted: no limit.
  ProfileStop stop = ProfileStop::limit;
  std::string message;
  double limit = 0;                     // NaN: none
  std::vector<PredictionPoint> points;  // outwards
  long evaluations = 0;
};

struct PredictionProfile {
  std::string words;  // what is predicted
  double estimate = 0;
  double deviation = 0;  // of the linear theory; NaN: not determined there
  PredictionSide lower, upper;
  std::string verdict;
};

// `prediction`: an objective of the same unknowns whose first residual is the value. Throws
// InputError if it cannot be evaluated at the best fit.
PredictionProfile profile_prediction(const Objective& objective, const LocalFit& best,
                                     const Objective& prediction, const std::string& words,
                                     const ProfileOptions& options);

}  // namespace stiffit::internal
