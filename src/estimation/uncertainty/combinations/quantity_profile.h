// Limits of a function of the estimated parameters by its profile: it is pulled away from its
// estimate, all parameters are fitted anew, and the interval ends where 2 (value - minimum) / unit
// passes the quantile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "estimation/optimizers/local_fit.h"
#include "estimation/uncertainty/combinations/quantity.h"
#include "estimation/uncertainty/grade.h"
#include "estimation/uncertainty/profile.h"

namespace stiffit::internal {

struct QuantityProfileOptions {
  double quantile = 3.841;
  double unit = 1;               // of the objective
  long max_evaluations = 20000;  // of one side
  LocalOptions local;            // of the fits; its interrupt stops the profile
};

struct QuantityPoint {
  double value = 0, ratio = 0;
  std::vector<double> x;
};

struct QuantitySide {
  ProfileStop stop = ProfileStop::limit;
  double limit = 0;  // NaN: none
  std::string message;
  std::vector<QuantityPoint> points;  // from the estimate outwards
  long evaluations = 0;
};

struct QuantityProfile {
  double value = 0;
  double error = 0;  // standard, of the value, to first order
  QuantitySide lower, upper;
  Limits limits() const { return {lower.limit, upper.limit}; }
  // Both sides were followed to where they end.
  bool complete() const;
};

// How uncertain the unknowns are around a point; what the data leave open is as wide as the bounds.
Eigen::MatrixXd bounded_covariance(const std::vector<EstimatedParameter>& unknowns,
                                   const std::vector<double>& fisher, double unit);

QuantityProfile profile_quantity(const Objective& objective, const LocalFit& best,
                                 const Quantity& quantity, const QuantityProfileOptions& options);

}  // namespace stiffit::internal
